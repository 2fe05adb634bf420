package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.BodyState;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.JournalView;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TileItems;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: an occult takes what it names away from every read and from the disk, and nothing else;
/// who may not have one is refused, and nothing goes. Method: small ledgers, with a savepoint after
/// every journal or only when the shard is closed; all files and rows are searched for what must be
/// gone.
class OccultTest {
  private static final long DAY_MS = 24L * 60 * 60 * 1000;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private Fixtures ledger = Fixtures.ledger();
  private ShardConfig config = TestNode.CONFIG;
  private TestNode service;
  private long nowMs = Fixtures.TIME_MS;

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(disk, meta, config, nowMs);
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private void reopen() throws Exception {
    close();
    open();
  }

  private long append(Submission submission) throws Exception {
    Receipted receipted = service.append(ledger, submission);
    service.verify(ledger, receipted);
    return receipted.committed().firstJsn();
  }

  private void refused(Submission submission, RejectionCode code) {
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class, () -> service.append(ledger, submission));
    assertThat(refusal).as("a refusal, %s", code).isNotNull();
    assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
  }

  private ErasureTarget journals(long... jsns) throws RequestRejectedException {
    return OccultStory.journals(service, ledger, jsns);
  }

  private JournalView read(long jsn) throws RequestRejectedException {
    return service.node.journal(ledger.strand(), jsn, true);
  }

  private void checkErased(long... jsns) throws Exception {
    List<BodyState> walked = new ArrayList<>();
    long size = service.node.newestSize(ledger.strand());
    service.node.readLog(
        ledger.strand(),
        0,
        size,
        true,
        (_, _, _, _, state, _, _) -> {
          walked.add(state);
          return true;
        });
    TileItems bodies =
        TileBundle.BODIES.decode(
            service.node.bundle(ledger.strand(), TileBundle.BODIES, 0, size).bytes(), (int) size);
    for (long jsn : jsns) {
      JournalView view = read(jsn);
      assertThat(view.bodyState()).as("journal %d", jsn).isEqualTo(BodyState.ERASED);
      assertThat(view.body()).isNull();
      assertThat(view.salt()).isNull();
      assertThat(walked.get((int) jsn)).isEqualTo(BodyState.ERASED);
      assertThat(bodies.size((int) jsn)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1_000})
  void whatIsOccultedIsGoneAndNothingElse(int savepointEvery) throws Exception {
    config = TestNode.CONFIG.withSavepointEvery(savepointEvery, 3_600_000);
    reopen();
    service.found(ledger);
    append(OccultStory.regulator(ledger));
    long first = append(ledger.single(777));
    long batch = append(ledger.batch(800, 5));
    long kept = append(ledger.single(900));
    byte[] receipt = service.node.receipt(ledger.strand(), first);
    Bytes leaf = read(first).leaf();
    assertThat(OccultStory.found(disk, meta, 777))
        .as("the search finds what is there")
        .isNotEmpty();

    long occult = append(OccultStory.occult(ledger, journals(first, batch + 2)));
    checkErased(first, batch + 2);
    OccultStory.awaitErased(service, 1);
    for (int i = 0; i < 2; i++) {
      checkErased(first, batch + 2);
      assertThat(OccultStory.found(disk, meta, 777)).isEmpty();
      assertThat(OccultStory.found(disk, meta, 802)).isEmpty();
      assertThat(read(first).leaf()).isEqualTo(leaf);
      assertThat(service.node.receipt(ledger.strand(), first)).isEqualTo(receipt);
      assertThat(service.node.erasure(ledger.strand(), first).removal()).isEqualTo(occult);
      for (long jsn : List.of(batch, batch + 1, batch + 3, batch + 4, kept)) {
        assertThat(read(jsn).bodyState()).as("journal %d", jsn).isEqualTo(BodyState.PRESENT);
      }
      assertThat(OccultStory.found(disk, meta, 801)).isNotEmpty();
      reopen();
    }
    assertThat(service.node.erasure(ledger.strand(), first).doneMs()).isPresent();
    RemovalCertificate.Verified certificate =
        RemovalCertificate.decode(service.node.removalCertificate(ledger.strand(), batch + 2))
            .verify(ledger.strand(), TestNode.SIGNATURES);
    assertThat(certificate.removal().jsn()).isEqualTo(new Jsn(occult));
    assertThat(certificate.targets()).hasSize(2);
  }

  @Test
  void aClueIsOccultedInARangeAndAClosedLedgerToo() throws Exception {
    ledger = ledger.withFeatures(Set.of(Feature.CLUE_TRIE));
    service.found(ledger);
    append(OccultStory.regulator(ledger));
    long a = append(ledger.clued(1, "order", "customer"));
    long b = append(ledger.clued(2, "customer"));
    append(ledger.clued(3, "order"));
    long c = append(ledger.clued(4, "customer"));
    append(
        ledger.govern(
            Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.owners().toArray(SeededSigner[]::new)));
    append(OccultStory.occult(ledger, OccultStory.clue(ledger, "customer", a, b)));
    checkErased(a, b);
    assertThat(read(c).bodyState()).isEqualTo(BodyState.PRESENT);
    reopen();
    checkErased(a, b);
    append(OccultStory.occult(ledger, OccultStory.clue(ledger, "customer", b + 1, c)));
    checkErased(a, b, c);
    OccultStory.awaitErased(service, 2);
    assertThat(OccultStory.done(service)).isEqualTo(2);
  }

  /// They are filled again before the occult is sealed.
  @Test
  void anOccultIsReplayedOverDamagedClues() throws Exception {
    ledger = ledger.withFeatures(Set.of(Feature.CLUE_TRIE));
    service.found(ledger);
    append(OccultStory.regulator(ledger));
    long first = append(ledger.clued(1, "customer"));
    long last = append(ledger.clued(2, "customer"));
    reopen();
    InMemoryMetaStore before = meta.copy();
    append(OccultStory.occult(ledger, OccultStory.clue(ledger, "customer", first, last)));
    MetaBatch damage = new MetaBatch();
    ClueIndex.discard(ledger.strand(), damage);
    before.write(damage);
    try (TestNode replayed = new TestNode(disk.copy(), before, config, nowMs)) {
      assertThat(replayed.node.journal(ledger.strand(), last, true).bodyState())
          .isEqualTo(BodyState.ERASED);
      assertThat(replayed.clueRebuilds()).isEqualTo(1);
    }
  }

  @Test
  void valuesGoWithTheirJournal() throws Exception {
    ledger = ledger.withSmallState();
    service.found(ledger);
    append(OccultStory.regulator(ledger));
    Bytes key = Bytes.utf8("k");
    Bytes value = Bytes.utf8("a value that must go");
    long put = append(ledger.writing(5, DraftOp.put(key, value)));
    append(OccultStory.occult(ledger, journals(put)));
    OccultStory.awaitErased(service, 1);
    var read = service.node.state(ledger.strand(), key, -1, true);
    assertThat(read.value().state()).isEqualTo(BodyState.ERASED);
  }

  @Test
  void whoMayNotOccultIsRefused() throws Exception {
    service.found(ledger);
    append(OccultStory.regulator(ledger));
    append(ledger.memberAdd(Role.NORMAL, SeededSigner.ed25519("dave").publicKey()));
    long jsn = append(ledger.single(1));
    ErasureTarget target = journals(jsn);
    SeededSigner dave = SeededSigner.ed25519("dave");
    refused(OccultStory.occult(ledger, target, Fixtures.ALICE), RejectionCode.SIGNATURES_MISSING);
    refused(OccultStory.occult(ledger, target, Fixtures.CAROL), RejectionCode.SIGNATURES_MISSING);
    refused(
        OccultStory.occult(ledger, target, Fixtures.ALICE, Fixtures.BOB),
        RejectionCode.SIGNATURES_MISSING);
    refused(OccultStory.occult(ledger, target, dave), RejectionCode.SIGNATURES_MISSING);
    assertThat(read(jsn).bodyState()).isEqualTo(BodyState.PRESENT);
    append(OccultStory.occult(ledger, target, Fixtures.ALICE, Fixtures.CAROL, dave));
    checkErased(jsn);
  }

  @Test
  void aRegulatorCountsForOlderJournalsAfterThirtyDays() throws Exception {
    service.found(ledger);
    long old = append(ledger.single(1));
    append(OccultStory.regulator(ledger));
    long young = append(ledger.single(2));
    refused(OccultStory.occult(ledger, journals(old)), RejectionCode.REGULATOR_TOO_NEW);
    refused(OccultStory.occult(ledger, journals(old, young)), RejectionCode.REGULATOR_TOO_NEW);
    append(OccultStory.occult(ledger, journals(young)));
    // A renewed grant changes nothing of since when; a demotion does.
    append(grant(Role.REGULATOR, 1));
    nowMs += 30 * DAY_MS;
    ledger = new Fixtures(ledger.params(), nowMs);
    reopen();
    append(OccultStory.occult(ledger, journals(old)));
    checkErased(old, young);
    append(grant(Role.NORMAL, 2));
    append(grant(Role.REGULATOR, 3));
    long older = append(ledger.single(3));
    append(OccultStory.occult(ledger, journals(older)));
  }

  private Submission grant(Role role, long afterMs) {
    return ledger.govern(
        Kind.GRANT,
        new Extension.Grant(
            role,
            Fixtures.CAROL.publicKey(),
            OptionalLong.of(nowMs + 300 * DAY_MS + afterMs),
            Optional.empty(),
            false,
            Optional.empty()),
        Fixtures.ALICE);
  }

  @Test
  void onlySealedJournalsOfKindOneAndTwoAreTargets() throws Exception {
    ledger = ledger.withFeatures(Set.of(Feature.CLUE_TRIE));
    service.found(ledger);
    long governance = append(OccultStory.regulator(ledger));
    long jsn = append(ledger.clued(1, "a"));
    long unnamed = service.node.newestSize(ledger.strand());
    for (long wrong : List.of(0L, 1L, governance, jsn + 1)) {
      refused(OccultStory.occult(ledger, journals(wrong)), RejectionCode.TARGET_INVALID);
    }
    JournalRef future = new JournalRef(new Jsn(unnamed), Digest.ZERO);
    JournalRef other = new JournalRef(new Jsn(jsn), Digest.ZERO);
    for (JournalRef named : List.of(future, other)) {
      refused(
          OccultStory.occult(ledger, new ErasureTarget.Journals(List.of(named))),
          RejectionCode.TARGET_INVALID);
    }
    refused(
        OccultStory.occult(ledger, OccultStory.clue(ledger, "b", 0, jsn)),
        RejectionCode.TARGET_INVALID);
    refused(
        OccultStory.occult(ledger, OccultStory.clue(ledger, "a", 0, jsn - 1)),
        RejectionCode.TARGET_INVALID);
    refused(
        OccultStory.occult(ledger, OccultStory.clue(ledger, "a", 0, unnamed)),
        RejectionCode.TARGET_INVALID);
    append(OccultStory.occult(ledger, journals(jsn)));
    refused(
        OccultStory.occult(ledger, OccultStory.clue(ledger, "a", 0, jsn)),
        RejectionCode.ALREADY_OCCULTED);
  }

  @Test
  void aPermanentLedgerHasNoOccult() throws Exception {
    ledger = ledger.withFeatures(Set.of(Feature.CLUE_TRIE, Feature.PERMANENT));
    service.found(ledger);
    append(OccultStory.regulator(ledger));
    long jsn = append(ledger.single(1));
    refused(OccultStory.occult(ledger, journals(jsn)), RejectionCode.FEATURE_FORBIDS);
  }

  @Test
  void whatIsErasedIsAskedForByName() throws Exception {
    service.found(ledger);
    long jsn = append(ledger.single(1));
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class, () -> service.node.erasure(ledger.strand(), jsn));
    assertThat(refusal.code()).isEqualTo(RejectionCode.OUT_OF_RANGE);
  }
}
