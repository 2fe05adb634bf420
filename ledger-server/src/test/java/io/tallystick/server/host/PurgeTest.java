package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.BlockView;
import io.tallystick.node.LedgerPurges;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.tile.TileBundle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a purge removes what lies below the seal it names, from every read and from the disk; what
/// was proven before stays proven, members and keys are not lost, and the log goes on. Method: a
/// ledger of two members and some 600 leaves; receipts are taken before; all files and rows are
/// searched afterwards.
class PurgeTest {
  private static final SeededSigner DAVE = SeededSigner.ed25519("dave");
  private static final SeededSigner EVE = SeededSigner.ed25519("eve");
  private static final SeededSigner FRANK = SeededSigner.ed25519("frank");
  private static final long DAY_MS = 24L * 60 * 60 * 1000;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final ShardConfig config = TestNode.CONFIG;
  private Fixtures ledger = Fixtures.ledger();
  private TestNode service;
  private long nowMs = Fixtures.TIME_MS;
  private int number = 10_000;

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

  private void pass(long ms) {
    nowMs += ms;
    ledger = new Fixtures(ledger.params(), nowMs);
    service.clock.set(nowMs);
  }

  private long append(Submission submission) throws Exception {
    Receipted receipted = service.append(ledger, submission);
    return receipted.committed().firstJsn();
  }

  private void refused(Submission submission, RejectionCode code) {
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class, () -> service.append(ledger, submission));
    assertThat(refusal).as("a refusal, %s", code).isNotNull();
    assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
  }

  private LedgerPurges purges() {
    return service.node.purges().orElseThrow();
  }

  private Snapshot prepare(long height, SeededSigner... absent) throws Exception {
    List<Digest> kids = List.of(absent).stream().map(each -> each.publicKey().kid()).toList();
    return Snapshot.decode(purges().prepare(ledger.strand(), height, kids));
  }

  private Submission purge(Snapshot snapshot, long recallMs, SeededSigner... signers) {
    return ledger.govern(
        Kind.PURGE,
        new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), recallMs),
        signers);
  }

  /// Genesis, Dave, Carol as regulator, then `batches` of ten by Alice or Dave.
  private void fill(int batches) throws Exception {
    service.found(ledger);
    append(ledger.memberAdd(Role.NORMAL, DAVE.publicKey()));
    append(OccultStory.regulator(ledger));
    more(batches);
  }

  private void more(int batches) throws Exception {
    for (int i = 0; i < batches; i++) {
      append(ledger.submission(ledger.requests(number, 10), i % 3 == 0 ? DAVE : Fixtures.ALICE));
      number += 10;
    }
  }

  private long height() throws Exception {
    return service.node.newestBlock(ledger.strand()).height();
  }

  private RejectionCode readRefusal(long jsn) {
    return catchThrowableOfType(
            RequestRejectedException.class, () -> service.node.journal(ledger.strand(), jsn, true))
        .code();
  }

  @Test
  void whatIsBelowIsGoneAndEarlierReceiptsHold() throws Exception {
    fill(40);
    long height = height();
    more(15);
    Map<Long, byte[]> receipts = new HashMap<>();
    Map<Long, Bytes> leaves = new HashMap<>();
    long size = service.node.newestSize(ledger.strand());
    for (long jsn = 0; jsn < size; jsn++) {
      receipts.put(jsn, service.node.receipt(ledger.strand(), jsn));
      leaves.put(jsn, service.node.journal(ledger.strand(), jsn, false).leaf());
    }
    Snapshot snapshot = prepare(height);
    long firstKept = snapshot.firstKept().value();
    assertThat(snapshot.affected())
        .containsExactlyInAnyOrder(Fixtures.ALICE.publicKey().kid(), DAVE.publicKey().kid());
    assertThat(OccultStory.found(disk, meta, 10_000)).isNotEmpty();

    long purge = append(purge(snapshot, 0, Fixtures.ALICE, DAVE));
    pass(1);
    OccultStory.awaitErased(service, 1);
    assertThat(OccultStory.done(service)).isEqualTo(1);
    for (int i = 0; i < 2; i++) {
      long firstLeaf = firstKept - firstKept % 256;
      assertThat(firstLeaf).isEqualTo(256);
      for (long jsn = 6; jsn < firstLeaf; jsn++) {
        assertThat(readRefusal(jsn)).as("journal %d", jsn).isEqualTo(RejectionCode.PURGED);
      }
      for (long jsn = 0; jsn < size; jsn++) {
        assertThat(service.node.receipt(ledger.strand(), jsn)).isEqualTo(receipts.get(jsn));
        if (jsn >= firstLeaf || jsn == 0 || jsn == 2 || jsn == 4) { // the last two govern
          assertThat(service.node.journal(ledger.strand(), jsn, false).leaf())
              .as("leaf %d", jsn)
              .isEqualTo(leaves.get(jsn));
        }
      }
      assertThat(service.node.bundle(ledger.strand(), TileBundle.ENTRIES, 256, 512).bytes().size())
          .isGreaterThan(256);
      assertThat(
              catchThrowableOfType(
                      RequestRejectedException.class,
                      () -> service.node.bundle(ledger.strand(), TileBundle.ENTRIES, 0, 256))
                  .code())
          .isEqualTo(RejectionCode.PURGED);
      assertThat(service.node.erasure(ledger.strand(), firstLeaf + 1).removal()).isEqualTo(purge);
      assertThat(service.node.consistency(ledger.strand(), 10, size)).isNotNull();
      for (int gone = 10_000; gone < 10_400; gone++) {
        assertThat(OccultStory.found(disk, meta, gone)).as("payload %d", gone).isEmpty();
      }
      assertThat(OccultStory.found(disk, meta, 10_400)).isNotEmpty();
      checkPseudoGenesis(firstKept);
      RemovalCertificate.Verified certificate =
          RemovalCertificate.decode(service.node.removalCertificate(ledger.strand(), purge))
              .verify(ledger.strand(), TestNode.SIGNATURES);
      assertThat(certificate.statement().count()).isEqualTo(firstKept);
      reopen();
    }
    append(ledger.single(1));
    append(ledger.memberRevoke(DAVE.publicKey().kid()));
  }

  private void checkPseudoGenesis(long firstKept) throws Exception {
    PseudoGenesis file = PseudoGenesis.decode(purges().pseudoGenesis(ledger.strand()));
    PseudoGenesis.Verified verified =
        file.verify(
            ledger.strand(),
            KeyChain.decode(service.node.keyChain(ledger.strand().ledger()).encode()),
            TestNode.SIGNATURES);
    assertThat(verified.snapshot().firstKept()).isEqualTo(new Jsn(firstKept));
    Bytes window = purges().window(ledger.strand());
    List<Bytes> entries = new ArrayList<>();
    for (int at = 0; at < window.size(); at += Snapshot.WINDOW_ENTRY_BYTES) {
      entries.add(window.slice(at, Snapshot.WINDOW_ENTRY_BYTES));
    }
    assertThat(Snapshot.windowRoot(entries)).isEqualTo(verified.snapshot().windowRoot());
  }

  /// The clues of what was purged come from the image.
  @Test
  void damagedCluesAreFilledAgainAfterPurges() throws Exception {
    ledger = ledger.withFeatures(Set.of(Feature.CLUE_TRIE));
    service.found(ledger);
    List<Long> of = new ArrayList<>();
    for (int purge = 1; purge <= 2; purge++) {
      for (int i = 0; i < 200; i++) {
        long jsn = append(ledger.clued(number++, "clue " + i % 7, "all"));
        if (i % 7 == 3) {
          of.add(jsn);
        }
      }
      append(ledger.clueDelete(number++, "clue 5"));
      Snapshot snapshot = prepare(height());
      append(purge(snapshot, 0, Fixtures.ALICE));
      pass(1);
      OccultStory.awaitErased(service, purge);
      append(ledger.clued(number++, "all"));
      Bytes clues = purges().clues(ledger.strand(), 0, 0, 1 << 20).bytes();
      assertThat(clues.toArray()[19]).as("clues of what went").isEqualTo((byte) 8);
      close();
      assertThat(disk.list("images")).hasSize(2 * purge);
      damageClues();
      open();
      append(ledger.clued(number++, "all"));
      Digest id = Commitments.clueId(ledger.strand().ledger(), "clue 3");
      assertThat(service.node.clue(ledger.strand(), id).value().orElseThrow().count())
          .isEqualTo(of.size());
      assertThat(service.clueRebuilds()).isEqualTo(1);
    }
  }

  private void damageClues() throws Exception {
    MetaBatch batch = new MetaBatch();
    ClueIndex.discard(ledger.strand(), batch);
    meta.write(batch);
  }

  @Test
  void aSecondPurgeGoesOnFromTheFirst() throws Exception {
    fill(30);
    Snapshot first = prepare(height());
    append(purge(first, 0, Fixtures.ALICE, DAVE));
    pass(1);
    OccultStory.awaitErased(service, 1);
    more(30);
    long height = height();
    append(ledger.single(1));
    Snapshot second = prepare(height);
    assertThat(second.kept().size()).isEqualTo(first.kept().size() + 1);
    refused(purge(first, 5, Fixtures.ALICE, DAVE), RejectionCode.PURGE_TOO_LOW);
    append(purge(second, 0, Fixtures.ALICE, DAVE));
    pass(1);
    OccultStory.awaitErased(service, 2);
    assertThat(OccultStory.done(service)).isEqualTo(2);
    reopen();
    checkPseudoGenesis(second.firstKept().value());
    for (int gone = 10_000; gone < 10_600; gone++) {
      assertThat(OccultStory.found(disk, meta, gone)).as("payload %d", gone).isEmpty();
    }
    append(ledger.single(2));
  }

  /// Its pseudo-genesis would begin below the purge before.
  @Test
  void aPurgeGoesBeyondThePurgeBefore() throws Exception {
    fill(10);
    long height = height();
    append(ledger.single(1));
    Snapshot first = prepare(height);
    Snapshot between = prepare(height + 1);
    append(purge(first, 0, Fixtures.ALICE, DAVE));
    pass(1);
    OccultStory.awaitErased(service, 1);
    append(ledger.single(2));
    assertThat(between.firstKept().value()).isGreaterThan(first.firstKept().value());
    refused(purge(between, 0, Fixtures.ALICE, DAVE), RejectionCode.PURGE_TOO_LOW);
    RequestRejectedException refusal =
        catchThrowableOfType(RequestRejectedException.class, () -> prepare(height + 1));
    assertThat(refusal.code()).isEqualTo(RejectionCode.PURGE_TOO_LOW);
    append(purge(prepare(height + 2), 0, Fixtures.ALICE, DAVE));
  }

  @Test
  void whoIsAffectedSignsOrARegulatorInTheirPlace() throws Exception {
    fill(3);
    long height = height();
    Snapshot all = prepare(height);
    refused(purge(all, 0, Fixtures.ALICE), RejectionCode.SIGNATURES_MISSING);
    refused(purge(all, 0, DAVE), RejectionCode.SIGNATURES_MISSING);
    refused(purge(all, 0, Fixtures.ALICE, Fixtures.CAROL), RejectionCode.SIGNATURES_MISSING);
    Snapshot without = prepare(height, DAVE);
    Extension.Purge unknown = new Extension.Purge(all.firstKept(), all.height(), Digest.ZERO, 0);
    refused(
        ledger.govern(Kind.PURGE, unknown, Fixtures.ALICE, DAVE), RejectionCode.SNAPSHOT_UNKNOWN);
    refused(purge(without, 0, Fixtures.ALICE), RejectionCode.SIGNATURES_MISSING);
    refused(purge(without, 0, Fixtures.ALICE, Fixtures.CAROL), RejectionCode.REGULATOR_TOO_NEW);
    refused(purge(without, 0, Fixtures.ALICE, DAVE), RejectionCode.TARGET_INVALID);
    pass(30 * DAY_MS);
    append(purge(without, 0, Fixtures.ALICE, Fixtures.CAROL));
    pass(1);
    OccultStory.awaitErased(service, 1);
    checkPseudoGenesis(without.firstKept().value());
  }

  @Test
  void aPurgeIsRecalledUntilItsErasingBegins() throws Exception {
    fill(30);
    Snapshot snapshot = prepare(height());
    long purge = append(purge(snapshot, DAY_MS, Fixtures.ALICE, DAVE));
    assertThat(readRefusal(10)).isEqualTo(RejectionCode.PURGED);
    refused(recall(purge, 1, DAVE), RejectionCode.ROLE_NOT_ALLOWED);
    refused(recall(purge - 1, 2, Fixtures.ALICE), RejectionCode.TARGET_INVALID);
    reopen();
    append(recall(purge, 3, Fixtures.ALICE));
    assertThat(service.node.journal(ledger.strand(), 10, true).bodyState())
        .isEqualTo(BodyState.PRESENT);
    reopen();
    assertThat(service.node.journal(ledger.strand(), 10, true).bodyState())
        .isEqualTo(BodyState.PRESENT);
    refused(recall(purge, 4, Fixtures.ALICE), RejectionCode.TARGET_INVALID);

    long again = append(purge(prepare(height()), DAY_MS, Fixtures.ALICE, DAVE));
    refused(purge(prepare(height()), 0, Fixtures.ALICE, DAVE), RejectionCode.PURGE_OPEN);
    pass(DAY_MS + 1);
    reopen();
    OccultStory.awaitErased(service, 1);
    // The clock is set back: what was begun stays begun.
    assertThat(OccultStory.done(service)).isEqualTo(1);
    pass(-DAY_MS);
    reopen();
    refused(recall(again, 6, Fixtures.ALICE), RejectionCode.ERASURE_BEGUN);
    pass(DAY_MS);
    refused(recall(again, 5, Fixtures.ALICE), RejectionCode.RECALL_TOO_LATE);
    assertThat(readRefusal(10)).isEqualTo(RejectionCode.PURGED);
  }

  private Submission recall(long purge, int salt, SeededSigner signer) {
    return ledger.submission(
        RequestDraft.govern(
                ledger.strand(),
                Kind.RECALL,
                new Extension.Recall(new Jsn(purge)),
                ledger.timeMs(),
                Fixtures.bytes32("recall " + salt))
            .build(),
        signer);
  }

  /// A purge goes no further than the newest time journal's head, and the chain of time journals is
  /// followed as far as it is kept.
  @Test
  void timeJournalsBoundAPurge() throws Exception {
    fill(30);
    List<UnanchoredHead> heads = service.node.timeJournals().orElseThrow().unanchored(null, 10);
    more(1);
    Snapshot early = prepare(height());
    anchor(heads);
    refused(purge(early, 0, Fixtures.ALICE, DAVE), RejectionCode.PURGE_UNANCHORED);
    long height = height();
    RequestRejectedException refusal =
        catchThrowableOfType(RequestRejectedException.class, () -> prepare(height));
    assertThat(refusal.code()).isEqualTo(RejectionCode.PURGE_UNANCHORED);
    anchor();
    append(purge(prepare(height), 0, Fixtures.ALICE, DAVE));
    pass(1);
    OccultStory.awaitErased(service, 1);
    more(1);
    anchor();
    reopen();
    TimeJournals times = service.node.timeJournals().orElseThrow();
    assertThat(times.lastAt(ledger.strand(), nowMs)).isPresent();
    assertThat(times.lastAt(ledger.strand(), Fixtures.TIME_MS - 1)).isEmpty();
  }

  private void anchor() throws Exception {
    anchor(service.node.timeJournals().orElseThrow().unanchored(null, 10));
  }

  private void anchor(List<UnanchoredHead> heads) throws Exception {
    TimeJournals times = service.node.timeJournals().orElseThrow();
    for (UnanchoredHead head : heads) {
      pass(10);
      times.append(
          new TimeAnchor(
              head.strand(),
              head.head(),
              new TimeProof.Token(Bytes.utf8("a token " + nowMs)),
              nowMs));
    }
  }

  /// A rotation's key chain needs a grant that was purged.
  @Test
  void keyChainsAreMadeOfWhatAPurgeCarries() throws Exception {
    fill(30);
    append(grant(Role.OWNER, 1));
    append(grant(Role.OWNER, 2));
    more(1);
    Snapshot snapshot = prepare(height());
    append(purge(snapshot, 0, Fixtures.ALICE, DAVE));
    pass(1);
    OccultStory.awaitErased(service, 1);
    append(
        ledger.govern(
            Kind.KEY_ROTATION,
            new Extension.KeyRotation(
                Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey()),
            Fixtures.ALICE));
    append(grant(Role.OWNER, 3));
    assertThat(service.provenKeys(ledger).terms()).hasSize(2);
  }

  /// One is an owner, one was let in by that owner, both in what stays.
  @Test
  void keyChainsShowHowAPurgesNewSignersBecameMembers() throws Exception {
    fill(30);
    Snapshot snapshot = prepare(height());
    append(ledger.memberAdd(Role.OWNER, EVE.publicKey()));
    append(
        ledger.govern(
            Kind.MEMBER_ADD, new Extension.MemberAdd(Role.NORMAL, FRANK.publicKey()), EVE));
    assertThat(service.node.keyChain(ledger.strand().ledger())).isEqualTo(KeyChain.EMPTY);
    append(purge(snapshot, 0, Fixtures.ALICE, DAVE, EVE, FRANK));
    assertThat(service.node.keyChain(ledger.strand().ledger()).entries()).hasSize(2);
    checkPseudoGenesis(snapshot.firstKept().value());
  }

  private Submission grant(Role role, long afterMs) {
    return ledger.govern(
        Kind.GRANT,
        new Extension.Grant(
            role,
            Fixtures.ALICE.publicKey(),
            OptionalLong.of(nowMs + 300 * DAY_MS + afterMs),
            Optional.empty(),
            false,
            Optional.empty()),
        Fixtures.BOB);
  }

  /// Closed, and purged up to the seal behind that.
  @Test
  void aDeletedLedgerHasNoNameAnyMore() throws Exception {
    fill(30);
    append(
        ledger.govern(
            Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.owners().toArray(SeededSigner[]::new)));
    byte[] name = Fixtures.LEDGER_NAME.getBytes(StandardCharsets.UTF_8);
    assertThat(OccultStory.found(disk, meta, name)).hasSize(2); // the stream and a row
    assertThat(service.node.ledger(ledger.strand().ledger()).name()).isEqualTo("sample");
    append(purge(prepare(height()), 0, Fixtures.ALICE, DAVE));
    assertThat(service.node.ledger(ledger.strand().ledger()).name()).isEmpty();
    pass(1);
    OccultStory.awaitErased(service, 1);
    Waiting.until("the row has no name", () -> OccultStory.found(disk, meta, name).isEmpty());
    for (int i = 0; i < 2; i++) {
      assertThat(OccultStory.found(disk, meta, name)).isEmpty();
      assertThat(OccultStory.found(disk, meta, 10_000)).isEmpty();
      assertThat(service.node.ledger(ledger.strand().ledger()).name()).isEmpty();
      checkPseudoGenesis(service.node.newestSize(ledger.strand()) - 2);
      reopen();
    }
  }

  @Test
  void whatCannotBePurgedIsRefused() throws Exception {
    ledger = ledger.withFeatures(Set.of(Feature.PERMANENT));
    fill(1);
    RequestRejectedException refusal =
        catchThrowableOfType(RequestRejectedException.class, () -> prepare(height()));
    assertThat(refusal.code()).isEqualTo(RejectionCode.FEATURE_FORBIDS);
    BlockView newest = service.node.newestBlock(ledger.strand());
    Extension.Purge named =
        new Extension.Purge(new Jsn(newest.size()), newest.height(), Digest.ZERO, 0);
    refused(ledger.govern(Kind.PURGE, named, Fixtures.ALICE, DAVE), RejectionCode.FEATURE_FORBIDS);
  }
}
