package io.tallystick.master.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.GpuMode;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.master.witness.WitnessStatus.Contradiction;
import io.tallystick.master.witness.WitnessStatus.OfLedger;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.TreeSize;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import io.tallystick.note.SignedNote;
import io.tallystick.note.WitnessKey;
import io.tallystick.note.Witnesses;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: heads get their cosignatures, and a witness that has seen more than there is stops the
/// ledger before it takes an append. Method: a real node, witnesses on loopback that check proofs.
class WitnessingTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final LedgerName NAME =
      new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @TempDir private Path directory;
  private LocalNode local;
  private Fixtures ledger;
  private LedgerId id;
  private WitnessServer one;
  private WitnessServer two;
  private final SeenByWatch watch = new SeenByWatch();
  private final Map<LedgerId, SignedNote> shelf = new ConcurrentHashMap<>();
  private int journals;

  @BeforeEach
  void open() throws Exception {
    local = open(directory.resolve("data"));
    ServiceIdentity identity = local.node().identity();
    ledger =
        Fixtures.ledger(
            local.node().timeMs(),
            identity.authority().value(),
            identity.noteKey(),
            identity.receiptKey());
    id = ledger.params().ledgerId();
    var _ =
        local
            .node()
            .createLedger(
                FoundingVerifier.verify(
                    ledger.params().encode(),
                    ledger.genesisAttestation().encode(),
                    NAME,
                    SIGNATURES));
    one = new WitnessServer("one.example");
    two = new WitnessServer("two.example");
  }

  private static LocalNode open(Path data) throws Exception {
    return LocalNode.open(
        data,
        new Authority("localhost"),
        NodeSeams.production(GpuMode.OFF),
        SIGNATURES,
        new SimpleMeterRegistry());
  }

  @AfterEach
  void close() throws Exception {
    one.close();
    two.close();
    local.close();
  }

  /// @throws RequestRejectedException also if it was queued first
  private void append() throws Exception {
    Submission next = ledger.single(++journals);
    try {
      var _ =
          local
              .node()
              .append(
                  new SubmissionVerifier(SIGNATURES, Set.of())
                      .verify(ledger.strand(), next.requests(), next.attestation(), ledger.keys()))
              .receipted()
              .get(Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RequestRejectedException refused ? refused : e;
    }
  }

  private Witnessing witnessing(int quorum, WitnessServer... servers) {
    return witnessing(quorum, TIMEOUT, servers);
  }

  private Witnessing witnessing(int quorum, Duration timeout, WitnessServer... servers) {
    List<WitnessSettings.Endpoint> endpoints =
        Stream.of(servers).map(WitnessServer::endpoint).toList();
    return new Witnessing(
        served(),
        new WitnessSettings(endpoints, quorum, List.of(id), NEVER, timeout),
        SIGNATURES,
        watch,
        (strand, note) -> shelf.put(strand.ledger(), note));
  }

  /// Whichever node is open, as a cluster's owners come and go.
  private LedgerNode served() {
    return (LedgerNode)
        Proxy.newProxyInstance(
            LedgerNode.class.getClassLoader(),
            new Class<?>[] {LedgerNode.class},
            (proxy, method, arguments) -> {
              try {
                return method.invoke(local.node(), arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private long size() throws RequestRejectedException {
    return local.node().newestSize(ledger.strand());
  }

  private static OfLedger status(Witnessing witnessing) {
    return witnessing.status().ledgers().getFirst();
  }

  @Test
  void showsEachNewHeadToAllWitnessesOnce() throws Exception {
    Witnesses trusted = new Witnesses(List.of(one.witness().key(), two.witness().key()), 2);
    try (Witnessing witnessing = witnessing(2, one, two)) {
      assertThat(witnessing.cosigned(id)).isEmpty();
      witnessing.start();
      for (int i = 0; i < 3; i++) {
        SignedNote note = witnessing.cosigned(id).orElseThrow();
        assertThat(shelf).containsExactly(Map.entry(id, note));
        assertThat(trusted.verify(note, SIGNATURES)).hasSize(2);
        assertThat(Checkpoint.parse(note.text()).size().value()).isEqualTo(size());
        append();
        witnessing.round();
        shelf.clear();
        witnessing.round(); // idle; who has them may have lost them
      }
      assertThat(one.asked()).containsExactly("old 0", "old 2", "old 4", "old 6");
      assertThat(status(witnessing).cosignatures()).isEqualTo(2);
      assertThat(status(witnessing).cosignedSize()).isEqualTo(size());
      assertThat(status(witnessing).lastCosignedMs()).isPresent();
      assertThat(witnessing.status().oldestCosignedMs()).isPresent();
    }
  }

  @Test
  void goesOnFromTheSizeThatAWitnessKnows() throws Exception {
    try (Witnessing first = witnessing(1, one)) {
      first.start();
    }
    append();
    append();
    try (Witnessing second = witnessing(1, one)) {
      second.start();
      assertThat(status(second).cosignedSize()).isEqualTo(size());
    }
    assertThat(one.asked()).containsExactly("old 0", "old 0", "old 2");
    assertThat(watch.seen).containsExactly("cosigned one.example", "cosigned one.example");
  }

  /// Goal: a head without a quorum does not take the place of one that has it, and a witness that
  /// comes late is asked for the same head again.
  @Test
  void keepsTheOlderHeadUntilEnoughHaveCosigned() throws Exception {
    try (Witnessing witnessing = witnessing(2, one, two)) {
      witnessing.start();
      append();
      two.behave(WitnessServer.replying(500, ""));
      witnessing.round();
      assertThat(status(witnessing).cosignedSize()).isEqualTo(2);
      assertThat(status(witnessing).failing()).containsEntry("two.example", "wrong_status");
      two.behave(null);
      witnessing.round();
      assertThat(status(witnessing).cosignedSize()).isEqualTo(4);
      assertThat(status(witnessing).failing()).isEmpty();
      assertThat(one.asked()).containsExactly("old 0", "old 2");
    }
  }

  @Test
  void aSilentOrUnknowingWitnessStopsNothing() throws Exception {
    two.behave(_ -> Thread.sleep(TIMEOUT));
    try (Witnessing witnessing = witnessing(1, Duration.ofMillis(300), one, two)) {
      one.behave(WitnessServer.replying(404, ""));
      witnessing.start();
      // On a busy machine its answer, too, may take longer than the timeout.
      Waiting.until(
          "one has answered",
          () -> {
            witnessing.round();
            return status(witnessing).failing().containsValue("unknown_log");
          });
      assertThat(status(witnessing).failing())
          .containsEntry("one.example", "unknown_log")
          .containsEntry("two.example", "slow");
      append();
      assertThat(witnessing.cosigned(id)).isEmpty();
      assertThat(witnessing.status().oldestCosignedMs()).isEmpty();
    }
    assertThat(watch.seen).containsOnly("failed unknown_log", "failed slow");
  }

  @Test
  void everyUselessAnswerHasItsReason() throws Exception {
    String line = "— one.example " + "A".repeat(104) + "\n";
    assertReason("wrong_key", 403, "");
    assertReason("wrong_status", 400, "");
    assertReason("wrong_content", 200, "no lines\n");
    assertReason("cosignature_refused", 200, "");
    assertReason("too_long", 200, "a".repeat(WitnessClient.ANSWER_BYTES_MAX + 1));
    assertReason("cosignature_refused", 200, line);
    assertReason("wrong_content", 422, "");
    assertReason("wrong_content", 409, "");
    assertReason("wrong_content", 409, "0\n");
    one.close();
    assertReason("unreachable", 200, "");
    assertThat(WitnessFailedException.codes()).contains("unreachable", "moving");
  }

  private void assertReason(String code, int status, String body) throws Exception {
    one.behave(WitnessServer.replying(status, body));
    try (Witnessing witnessing = witnessing(1, one)) {
      witnessing.start();
      assertThat(status(witnessing).failing()).as(body).containsEntry("one.example", code);
      assertThat(status(witnessing).contradiction()).isEmpty();
    }
    append();
  }

  /// A cosignature of another head, by the right key.
  @Test
  void aLineThatDoesNotHoldIsNotShown() throws Exception {
    String other =
        one.witness().cosigned(SignedNote.sign("a\n", noteKey(), Fixtures.NOTE).encode(), 1);
    one.behave(WitnessServer.replying(200, other.substring(other.lastIndexOf('—'))));
    try (Witnessing witnessing = witnessing(1, one)) {
      witnessing.start();
      assertThat(status(witnessing).failing()).containsEntry("one.example", "cosignature_refused");
      assertThat(witnessing.cosigned(id)).isEmpty();
    }
  }

  private static NoteKey noteKey() {
    return new NoteKey("a", Fixtures.NOTE.publicKey());
  }

  /// Goal: an old backup is noticed at the start. Method: the data of before three journals.
  @Test
  void anOldBackupStaysReadOnly() throws Exception {
    append();
    long backedUp = size();
    local.close();
    copy(directory.resolve("data"), directory.resolve("backup"));
    local = open(directory.resolve("data"));
    for (int i = 0; i < 3; i++) {
      append();
    }
    long seen = size();
    try (Witnessing witnessing = witnessing(1, one)) {
      witnessing.start();
    }
    local.close();
    local = open(directory.resolve("backup"));
    try (Witnessing witnessing = witnessing(1, two, one)) {
      witnessing.start();
      assertThat(status(witnessing).contradiction())
          .contains(new Contradiction("one.example", seen, true));
      assertThat(witnessing.status().contradictedCount()).isEqualTo(1);
      assertRefused(seen);
      witnessing.round();
      assertThat(size()).isEqualTo(backedUp);
      local.close();
      local = open(directory.resolve("backup")); // another opening knows nothing of it
      witnessing.round();
      assertRefused(seen);
      assertThat(local.node().liftReadOnly(id, Optional.empty())).isTrue();
      witnessing.round();
      assertRefused(seen); // the witness was asked again, and says it again
    }
    assertThat(watch.seen).contains("contradicted " + seen).hasSize(4);
  }

  /// Goal: what a witness has said outlives a start, also without that witness; its own word or the
  /// operator's takes it back.
  @Test
  void aMarkStaysUntilItsWitnessOrTheOperatorTakesItBack() throws Exception {
    append();
    local.node().makeReadOnly(id, 100, "one.example");
    local.node().makeReadOnly(id, 90, "three.example");
    local.close();
    local = open(directory.resolve("data"));
    assertRefused(100);
    try (Witnessing witnessing = witnessing(1, two)) {
      witnessing.start();
      assertRefused(100);
      assertThat(status(witnessing).contradiction())
          .as("said before the start")
          .contains(new Contradiction("one.example", 100, true));
    }
    try (Witnessing witnessing = witnessing(1, one)) {
      witnessing.start();
      assertRefused(90);
      assertThat(status(witnessing).contradiction())
          .contains(new Contradiction("three.example", 90, true));
    }
    assertThat(local.node().liftReadOnly(id, Optional.empty())).isTrue();
    assertThat(local.node().liftReadOnly(id, Optional.empty())).isFalse();
    append();
    local.close();
    local = open(directory.resolve("data"));
    append();
  }

  private void assertRefused(long seen) {
    assertThatThrownBy(this::append)
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(RejectionCode.READ_ONLY);
              assertThat(refusal.limit()).hasValue(seen);
            });
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  /// Goal: a log with another history of the same size, or of more, is noticed too.
  @Test
  void aForkedLedgerStaysReadOnly() throws Exception {
    String origin = local.node().identity().authority().origin(ledger.strand());
    append();
    one.remember(new Checkpoint(origin, new TreeSize(3), new JournalRoot(Digest.ZERO)));
    two.remember(new Checkpoint(origin, new TreeSize(size()), new JournalRoot(Digest.ZERO)));
    for (WitnessServer each : List.of(one, two)) {
      try (Witnessing witnessing = witnessing(1, each)) {
        witnessing.start();
        assertThat(status(witnessing).contradiction().orElseThrow().ahead()).isFalse();
      }
    }
    assertRefused(size());
  }

  /// Goal: a size that the ledger has reached when the answer comes is no contradiction.
  @Test
  void aHeadThatWasReachedMeanwhileIsAskedForAgain() throws Exception {
    one.behave(exchange -> {
      try {
        append();
      } catch (Exception e) {
        throw new IOException(e);
      }
      WitnessServer.replying(409, "4\n").answer(exchange);
    });
    try (Witnessing witnessing = witnessing(1, one)) {
      witnessing.start();
      assertThat(status(witnessing).failing()).containsEntry("one.example", "moving");
      one.behave(null);
      witnessing.round();
      assertThat(status(witnessing).cosignedSize()).isEqualTo(4);
    }
  }

  @Test
  void afterFailuresAWitnessIsLeftAlone() throws Exception {
    one.behave(WitnessServer.replying(503, ""));
    try (Witnessing witnessing = witnessing(1, one)) {
      witnessing.start();
      for (int i = 0; i < 5; i++) {
        witnessing.round();
      }
    }
    assertThat(one.asked()).hasSize(3);
  }

  @Test
  void aLedgerThatIsNotHereIsTold() throws Exception {
    try (Witnessing witnessing =
        new Witnessing(
            local.node(),
            new WitnessSettings(
                List.of(one.endpoint()), 1, List.of(new LedgerId(Digest.ZERO)), NEVER, TIMEOUT),
            SIGNATURES,
            watch,
            Witnessing.Shelf.NONE)) {
      witnessing.start();
      assertThat(watch.seen).containsExactly("unreadable unknown_ledger");
      assertThat(witnessing.cosigned(id)).isEmpty();
    }
  }

  @Test
  void addsCosignaturesToTheHeadTheyAreOfAlone() throws Exception {
    try (Witnessing witnessing = witnessing(1, one)) {
      witnessing.start();
      SignedNote newest = note();
      assertThat(witnessing.withCosignatures(id, newest).signatures()).hasSize(2);
      assertThat(witnessing.withCosignatures(new LedgerId(Digest.ZERO), newest)).isEqualTo(newest);
      append();
      assertThat(witnessing.withCosignatures(id, note())).isEqualTo(note());
    }
  }

  private SignedNote note() throws Exception {
    return SignedNote.decode(Bytes.wrap(local.node().checkpoint(ledger.strand())));
  }

  @Test
  void refusesSettingsThatCannotWork() {
    URI url = URI.create("http://127.0.0.1:1");
    var endpoint = new WitnessSettings.Endpoint(one.witness().key(), url);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new WitnessSettings(List.of(), 1, List.of(id), NEVER, TIMEOUT));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new WitnessSettings(List.of(endpoint), 2, List.of(id), NEVER, TIMEOUT));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new WitnessSettings(List.of(endpoint), 1, List.of(id), Duration.ZERO, TIMEOUT));
    var namesake =
        new WitnessSettings.Endpoint(new WitnessKey("one.example", two.witness().key().key()), url);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new WitnessSettings(List.of(endpoint, namesake), 1, List.of(id), NEVER, TIMEOUT));
  }
}
