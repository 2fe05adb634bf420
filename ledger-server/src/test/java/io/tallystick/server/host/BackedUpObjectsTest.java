package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.LedgerName;
import io.tallystick.node.Member;
import io.tallystick.node.MemberCertificates;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a backup has the certificate chains and the times of its ledgers, and none is erased while
/// it is made. Method: a node on a real directory, backed up and restored.
class BackedUpObjectsTest {
  private static final TestAuthority CA = TestAuthority.root("root");
  private static final CertificateChain BOBS = CA.chain("Bob", Fixtures.BOB.publicKey());
  private static final CertificateChain WAITING = CA.chain("Alice", Fixtures.ALICE.publicKey());
  private static final CertificateChain LATE = CA.chain("Al", Fixtures.ALICE.publicKey());

  @TempDir private Path home;
  private LocalNode local;
  private Fixtures ledger = Fixtures.ledger();
  private LedgerId id = ledger.params().ledgerId();

  @BeforeEach
  void fill() throws Exception {
    open("data");
    ServiceIdentity service = local.node().identity();
    ledger =
        Fixtures.ledger(Fixtures.TIME_MS, "localhost", service.noteKey(), service.receiptKey());
    id = ledger.params().ledgerId();
    local
        .node()
        .createLedger(
            FoundingVerifier.verify(
                ledger.params().encode(),
                ledger.genesisAttestation().encode(),
                new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME),
                TestNode.SIGNATURES));
  }

  private void open(String directory) throws Exception {
    local =
        LocalNode.open(
            home.resolve(directory),
            new Authority("localhost"),
            new NodeSeams(
                NodeParts::local, () -> Instant.ofEpochMilli(Fixtures.TIME_MS), TestNode.CONFIG),
            TestNode.SIGNATURES,
            new SimpleMeterRegistry());
    local.trust(CA.trusted());
  }

  @AfterEach
  void close() throws Exception {
    local.close();
  }

  private MemberCertificates chains() {
    return local.node().memberCertificates().orElseThrow();
  }

  private TimeJournals times() {
    return local.node().timeJournals().orElseThrow();
  }

  private void append(Submission submission) throws Exception {
    var _ =
        local
            .node()
            .append(
                new SubmissionVerifier(TestNode.SIGNATURES, Set.of())
                    .verify(
                        ledger.strand(),
                        submission.requests(),
                        submission.attestation(),
                        ledger.keys()))
            .receipted()
            .get(Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
  }

  private void restore() throws Exception {
    local.close();
    var _ =
        new LocalRestore(
                home.resolve("backup"),
                home.resolve("again"),
                home.resolve("data/keys"),
                TestNode.SIGNATURES,
                BatchHasher.cpu())
            .run(true, (_, _) -> {});
    open("again");
  }

  private List<String> objects(String directory) throws IOException {
    try (Stream<Path> files = Files.walk(home.resolve(directory).resolve("objects"))) {
      return files.filter(Files::isRegularFile).map(each -> each.getFileName().toString()).toList();
    }
  }

  @Test
  void chainsAndTimesAreInABackup() throws Exception {
    chains().show(id, BOBS);
    chains().show(id, WAITING);
    append(
        ledger.govern(
            Kind.GRANT,
            new Extension.Grant(
                Role.NORMAL,
                Fixtures.BOB.publicKey(),
                OptionalLong.empty(),
                Optional.empty(),
                false,
                Optional.of(BOBS.digest())),
            Fixtures.ALICE));
    times()
        .append(
            new TimeAnchor(
                ledger.strand(),
                times().unanchored(null, 1).getFirst().head(),
                new TimeProof.Token(Bytes.utf8("a token")),
                Fixtures.TIME_MS));
    var before = times().lastAt(ledger.strand(), Long.MAX_VALUE);
    assertThat(before).isPresent();
    List<RequestRejectedException> refused = new ArrayList<>();
    var _ =
        local
            .backups()
            .orElseThrow()
            .take(
                home.resolve("backup"),
                false,
                (_, _) -> {
                  refused.add(
                      catchThrowableOfType(
                          RequestRejectedException.class, () -> chains().erase(id, BOBS.digest())));
                  showLate();
                });
    assertThat(refused).isNotEmpty();
    assertThat(refused.getFirst().code()).isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(chains().erase(id, BOBS.digest())).as("once it is made").isTrue();
    assertThat(objects("data")).hasSize(2);
    assertThat(objects("backup")).hasSize(2);

    restore();
    assertThat(chains().find(id, BOBS.digest())).contains(BOBS);
    assertThat(chains().show(id, BOBS)).isEqualTo(Member.NEVER);
    assertThat(times().lastAt(ledger.strand(), Long.MAX_VALUE)).isEqualTo(before);
    assertThat(chains().erase(id, WAITING.digest())).isTrue();
    assertThat(chains().erase(id, LATE.digest())).as("came too late").isFalse();
    assertThat(objects("again")).hasSize(1);
  }

  /// It is not made anew, neither here nor there.
  @Test
  void aFileThatIsGoneEndsTheBackup() throws Exception {
    chains().show(id, BOBS);
    append(ledger.single(1));
    String object = objects("data").getFirst();
    Path file = home.resolve("data/objects").resolve(object.substring(0, 2)).resolve(object);
    assertThatThrownBy(() ->
            local
                .backups()
                .orElseThrow()
                .take(home.resolve("backup"), false, (_, _) -> Files.deleteIfExists(file)))
        .hasStackTraceContaining("was deleted meanwhile");
    assertThat(file).doesNotExist();
  }

  private void showLate() {
    try {
      chains().show(id, LATE);
    } catch (RequestRejectedException e) {
      throw new AssertionError(e);
    }
  }
}
