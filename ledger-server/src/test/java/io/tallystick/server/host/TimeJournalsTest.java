package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestTimes;
import io.tallystick.journal.TimeProof;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.JournalView;
import io.tallystick.node.StampedHead;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.note.Checkpoint;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.TimeRequest;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.world.ServiceTerms;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the node writes time journals that an auditor finds right, names each head that waits for
/// one, and refuses what would make a log fail its audit. Method: the rules of people-and-time.md
/// against the leaves that the node answers, also after a restart. That an auditor agrees is for
/// the test of the whole service.
class TimeJournalsTest {
  private static final Comparator<StrandId> BY_LEDGER = Comparator.comparing(StrandId::ledger);
  private static final TimeProof TOKEN = new TimeProof.Token(Bytes.utf8("a token"));
  private static final long NOW_MS = Fixtures.TIME_MS;
  private static final long SKEW_MS = Limits.TIME_PROOF_SKEW_MS_MAX;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger();
  private final StrandId strand = ledger.strand();
  private ShardConfig config = TestNode.CONFIG;
  private TestNode service;

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(disk, meta, config);
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private void reopen() throws Exception {
    long nowMs = service.clock.get();
    close();
    open();
    service.clock.set(nowMs);
  }

  private TimeJournals times() {
    return service.node.timeJournals().orElseThrow();
  }

  private UnanchoredHead waiting() throws RequestRejectedException {
    List<UnanchoredHead> all = times().unanchored(null, 10);
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  private AnchoredAt anchor() throws RequestRejectedException {
    return anchor(waiting().head());
  }

  private AnchoredAt anchor(Checkpoint head) throws RequestRejectedException {
    return times().append(new TimeAnchor(strand, head, TOKEN, service.clock.get()));
  }

  private void append(int number) throws Exception {
    service.append(ledger, ledger.single(number));
  }

  private RequestRejectedException refused(TimeAnchor anchor, RejectionCode code) throws Exception {
    long size = service.node.newestSize(strand);
    RequestRejectedException refusal =
        catchThrowableOfType(RequestRejectedException.class, () -> times().append(anchor));
    assertThat(refusal).as("a refusal, %s", code).isNotNull();
    assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
    assertThat(service.node.newestSize(strand)).isEqualTo(size);
    return refusal;
  }

  private Checkpoint head(long size) throws RequestRejectedException {
    Digest root = service.node.blockOf(strand, size - 1).root();
    return new Checkpoint(ledger.params().origin(0), new TreeSize(size), new JournalRoot(root));
  }

  private JournalLeaf leaf(long jsn) throws Exception {
    return (JournalLeaf) Leaf.decode(service.node.journal(strand, jsn, false).leaf());
  }

  private Extension.Time time(long jsn) throws Exception {
    return (Extension.Time) RequestHeader.decode(leaf(jsn).header()).extension();
  }

  private JournalRef reference(long jsn) throws Exception {
    return new JournalRef(
        new Jsn(jsn), TreeHasher.leafHash(service.node.journal(strand, jsn, false).leaf()));
  }

  @Test
  void aNewLedgerWaitsWithTheHeadOfItsGenesis() throws Exception {
    assertThat(times().unanchored(null, 10)).isEmpty();
    service.found(ledger);
    assertThat(waiting()).isEqualTo(new UnanchoredHead(strand, head(2), true, 1, NOW_MS));
    service.clock.addAndGet(7);
    append(1);
    assertThat(waiting()).isEqualTo(new UnanchoredHead(strand, head(2), true, 2, NOW_MS));
  }

  @Test
  void aTimeJournalIsOfTheServiceAloneAndTakesTheTokensWindow() throws Exception {
    service.found(ledger);
    AnchoredAt first = anchor();
    assertThat(first).isEqualTo(new AnchoredAt(2, NOW_MS));
    JournalLeaf leaf = leaf(2);
    RequestHeader header = RequestHeader.decode(leaf.header());
    assertThat(header.kind()).isEqualTo(Kind.TIME);
    assertThat(header.extension())
        .isEqualTo(new Extension.Time(head(2).size(), head(2).root(), Optional.empty(), TOKEN));
    RequestTimes.check(header, leaf.timeMs(), 0);
    JournalView view = service.node.journal(strand, 2, true);
    KeyLookup nobody = _ -> Optional.empty();
    assertThat(
            AttestationVerifier.verify(
                strand,
                List.of(header),
                List.of(RequestHeader.hash(leaf.header())),
                Attestation.decode(Objects.requireNonNull(view.attestation()), Kind.TIME),
                nobody.withReceiptKey(Fixtures.RECEIPT.publicKey()),
                TestNode.SIGNATURES))
        .extracting(AttestationVerifier.Signer::kid)
        .containsExactly(Fixtures.RECEIPT.publicKey().kid());
  }

  /// Where nothing but seals and time journals comes, nothing waits.
  @Test
  void whatATimeJournalDoesNotCoverWaits() throws Exception {
    service.found(ledger);
    anchor();
    assertThat(times().unanchored(null, 10)).isEmpty();
    service.clock.addAndGet(1_000);
    append(1);
    service.clock.addAndGet(1_000);
    service.append(ledger, ledger.batch(2, 3));
    assertThat(waiting()).isEqualTo(new UnanchoredHead(strand, head(10), false, 4, NOW_MS + 1_000));
    Checkpoint stamped = waiting().head();
    append(9); // while the token is on its way
    service.clock.addAndGet(1_000);
    assertThat(anchor(stamped)).isEqualTo(new AnchoredAt(12, NOW_MS + 3_000));
    assertThat(time(12).previous()).contains(reference(2));
    assertThat(waiting()).isEqualTo(new UnanchoredHead(strand, head(14), false, 1, NOW_MS + 2_000));
    append(10);
    assertThat(waiting()).isEqualTo(new UnanchoredHead(strand, head(16), false, 2, NOW_MS + 2_000));
    assertThat(anchor().jsn()).isEqualTo(16);
    assertThat(time(16).previous()).contains(reference(12));
    assertThat(times().unanchored(null, 10)).isEmpty();
  }

  @Test
  void theNewestTimeJournalIsToldWhateverCameAfterIt() throws Exception {
    service.found(ledger);
    assertThat(times().stamped(strand, 0)).isEmpty();
    append(1);
    Checkpoint stamped = head(4);
    AnchoredAt landed = anchor(stamped);
    append(2);
    assertThat(times().newest(strand).covering()).isEmpty();
    assertThat(times().stamped(strand, 4))
        .contains(new StampedHead(landed.jsn(), landed.timeMs(), NOW_MS, stamped));
    assertThat(times().stamped(strand, 5)).as("of a smaller head").isEmpty();
  }

  /// The block behind the covered head has the time journal alone.
  @Test
  void waitsSinceTheFirstJournalBehindATimeJournal() throws Exception {
    service.found(ledger);
    anchor();
    service.clock.addAndGet(5_000);
    append(1);
    assertThat(waiting()).isEqualTo(new UnanchoredHead(strand, head(6), false, 1, NOW_MS + 5_000));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100_000})
  void aRestartKeepsTheNewestTimeJournal(int savepointEvery) throws Exception {
    config = TestNode.CONFIG.withSavepointEvery(savepointEvery, 3_600_000);
    reopen();
    service.found(ledger);
    reopen();
    assertThat(anchor().jsn()).isEqualTo(2);
    reopen();
    assertThat(times().unanchored(null, 10)).isEmpty();
    append(1);
    reopen();
    assertThat(waiting().journals()).isEqualTo(1);
    refused(new TimeAnchor(strand, head(2), TOKEN, NOW_MS), RejectionCode.OUT_OF_RANGE);
    assertThat(anchor().jsn()).isEqualTo(6);
    assertThat(time(6).previous()).contains(reference(2));
    reopen();
    append(2);
    assertThat(anchor().jsn()).isEqualTo(10);
    assertThat(time(10).previous()).contains(reference(6));
  }

  @Test
  void takesHeadsOfTheStrandOnly() throws Exception {
    refusesStrandsThatAreNotHere();
    service.found(ledger);
    service.append(ledger, ledger.batch(1, 4));
    append(5);
    for (long size : new long[] {0, 1, 3, 8, 10, 1L << 40}) {
      Checkpoint none =
          new Checkpoint(ledger.params().origin(0), new TreeSize(size), head(7).root());
      refused(new TimeAnchor(strand, none, TOKEN, NOW_MS), RejectionCode.OUT_OF_RANGE);
    }
    Checkpoint root = new Checkpoint(head(7).origin(), new TreeSize(7), head(9).root());
    refused(new TimeAnchor(strand, root, TOKEN, NOW_MS), RejectionCode.PRECONDITION_FAILED);
    Checkpoint origin = new Checkpoint("localhost/l/other", new TreeSize(7), head(7).root());
    refused(new TimeAnchor(strand, origin, TOKEN, NOW_MS), RejectionCode.PRECONDITION_FAILED);
    assertThat(anchor(head(7)).jsn()).isEqualTo(9);
    refused(new TimeAnchor(strand, head(9), TOKEN, NOW_MS), RejectionCode.OUT_OF_RANGE);
    refused(new TimeAnchor(strand, head(7), TOKEN, NOW_MS), RejectionCode.OUT_OF_RANGE);
    assertThat(anchor(head(11)).jsn()).isEqualTo(11);
  }

  private void refusesStrandsThatAreNotHere() {
    Checkpoint any = new Checkpoint("localhost", new TreeSize(2), new JournalRoot(Digest.ZERO));
    for (StrandId none : List.of(strand, new StrandId(strand.ledger(), 1))) {
      RequestRejectedException refusal =
          catchThrowableOfType(
              RequestRejectedException.class,
              () -> times().append(new TimeAnchor(none, any, TOKEN, NOW_MS)));
      assertThat(refusal.code()).isEqualTo(RejectionCode.UNKNOWN_LEDGER);
    }
  }

  @Test
  void theLeafIsWithinTenSecondsOfTheToken() throws Exception {
    service.found(ledger);
    refused(new TimeAnchor(strand, head(2), TOKEN, NOW_MS - SKEW_MS - 1), RejectionCode.EXPIRED);
    refused(new TimeAnchor(strand, head(2), TOKEN, NOW_MS + SKEW_MS + 1), RejectionCode.TOO_EARLY);
    refused(new TimeAnchor(strand, head(2), TOKEN, 0), RejectionCode.EXPIRED);
    refused(new TimeAnchor(strand, head(2), TOKEN, Limits.TIME_MS_MAX), RejectionCode.TOO_EARLY);
    times().append(new TimeAnchor(strand, head(2), TOKEN, NOW_MS - SKEW_MS));
    append(1);
    times().append(new TimeAnchor(strand, waiting().head(), TOKEN, NOW_MS + SKEW_MS));
  }

  @Test
  void takesTokensUpToTheLimitOfTheFormat() throws Exception {
    service.found(ledger);
    int overhead = new TimeProof.Token(Bytes.wrap(new byte[1_000])).encode().size() - 1_000;
    int most = Limits.TIME_PROOF_BYTES_MAX - overhead;
    Bytes larger = Bytes.wrap(new byte[most + 1]);
    refused(
        new TimeAnchor(strand, head(2), new TimeProof.Token(larger), NOW_MS),
        RejectionCode.TOO_LARGE);
    times()
        .append(
            new TimeAnchor(
                strand, head(2), new TimeProof.Token(Bytes.wrap(new byte[most])), NOW_MS));
    assertThat(service.node.newestSize(strand)).isEqualTo(4);
  }

  @Test
  void aClosedLedgerIsStillAnchored() throws Exception {
    service.found(ledger);
    Submission close =
        ledger.govern(
            Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.owners().toArray(SeededSigner[]::new));
    service.append(ledger, close);
    reopen();
    assertThat(anchor().jsn()).isEqualTo(4);
    assertThat(anchor().jsn()).isEqualTo(6);
    assertThat(times().unanchored(null, 10)).isEmpty();
  }

  @Test
  void listsStrandsInPagesAndEachByItself() throws Exception {
    List<Fixtures> ledgers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ledgers.add(ledger.withWindow(60_000 + i));
      service.found(ledgers.get(i));
    }
    List<StrandId> strands = ledgers.stream().map(Fixtures::strand).sorted(BY_LEDGER).toList();
    assertThat(times().unanchored(null, 3))
        .extracting(UnanchoredHead::strand)
        .isEqualTo(strands.subList(0, 3));
    assertThat(times().unanchored(strands.get(2), 3))
        .extracting(UnanchoredHead::strand)
        .isEqualTo(strands.subList(3, 5));
    assertThat(times().unanchored(strands.get(4), 3)).isEmpty();
    UnanchoredHead second = times().unanchored(strands.get(0), 1).getFirst();
    times().append(new TimeAnchor(second.strand(), second.head(), TOKEN, NOW_MS));
    assertThat(times().unanchored(null, 9))
        .extracting(UnanchoredHead::strand)
        .doesNotContain(second.strand())
        .hasSize(4);
  }

  /// Whoever comes too late is refused; none names another's previous.
  @Test
  void concurrentTimeJournalsNameOneAnother() throws Exception {
    service.found(ledger);
    try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
      List<Callable<Integer>> tasks = new ArrayList<>();
      for (int thread = 0; thread < 6; thread++) {
        int first = 100 * thread;
        tasks.add(() -> anchorAgainAndAgain(first));
      }
      int written = 0;
      for (Future<Integer> each : threads.invokeAll(tasks)) {
        written += each.get();
      }
      assertThat(TimeChain.check(service.node, strand, "after all"))
          .hasSize(written)
          .hasSizeGreaterThan(5);
    }
  }

  private int anchorAgainAndAgain(int first) throws Exception {
    int written = 0;
    for (int i = 0; i < 20; i++) {
      append(first + i);
      for (UnanchoredHead head : times().unanchored(null, 1)) {
        try {
          anchor(head.head());
          written++;
        } catch (RequestRejectedException late) {
          assertThat(late.code()).isEqualTo(RejectionCode.OUT_OF_RANGE);
        }
      }
    }
    return written;
  }

  /// A client's requests come through {@link io.tallystick.journal.SubmissionVerifier}; what the
  /// sequencer is given beside it, it judges, too.
  @Test
  void kindTwentyIsTheServicesAlone() throws Exception {
    service.found(ledger);
    Extension.Time time =
        new Extension.Time(head(2).size(), head(2).root(), Optional.empty(), TOKEN);
    assertRefused(
        () -> service.verify(ledger.govern(Kind.TIME, time, Fixtures.ALICE)),
        RejectionCode.KIND_NOT_ENABLED);
    for (SeededSigner signer : List.of(Fixtures.ALICE, Fixtures.NOTE, Fixtures.NEXT_RECEIPT)) {
      assertRefused(() -> byHand(time, signer), RejectionCode.ROLE_NOT_ALLOWED);
    }
    append(1);
    byHand(time, Fixtures.RECEIPT);
    append(2);
    Extension.Time unchained =
        new Extension.Time(head(8).size(), head(8).root(), Optional.empty(), TOKEN);
    assertRefused(() -> byHand(unchained, Fixtures.RECEIPT), RejectionCode.PRECONDITION_FAILED);
    Extension.Time ahead =
        new Extension.Time(new TreeSize(11), head(8).root(), Optional.of(reference(4)), TOKEN);
    assertRefused(() -> byHand(ahead, Fixtures.RECEIPT), RejectionCode.OUT_OF_RANGE);
    assertThat(service.node.newestSize(strand)).isEqualTo(8);
  }

  private void byHand(Extension.Time time, Signatures.Signer signer) throws Exception {
    Authority authority = new Authority("localhost");
    HeadSigner signers = new HeadSigner(authority, Fixtures.NEXT_NOTE, signer);
    ServiceTerms terms =
        new ServiceTerms(
            new ServiceKeys(authority, Fixtures.NEXT_NOTE.publicKey(), signer.publicKey()), 0);
    VerifiedSubmission submission =
        TimeRequest.sign(strand, time, NOW_MS, Fixtures.bytes32("salt of " + time), signers, terms);
    TestNode.await(service.node.append(submission));
  }

  private interface Refused {
    void run() throws Exception;
  }

  private static void assertRefused(Refused call, RejectionCode code) {
    RequestRejectedException refusal =
        catchThrowableOfType(RequestRejectedException.class, call::run);
    assertThat(refusal).as("a refusal, %s", code).isNotNull();
    assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
  }
}
