package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.Attestation;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.JournalView;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: what is asked about purged journals later, and what a purge is signed with, is what an
/// auditor makes of the same log. Method: one small ledger for each fault that the simulator found.
class PurgedJournalsTest {
  private static final SeededSigner DAVE = SeededSigner.ed25519("dave");
  private static final long DAY_MS = 24L * 60 * 60 * 1000;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private Fixtures ledger = Fixtures.ledger();
  private TestNode service;

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(disk, meta, TestNode.CONFIG);
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private long append(Submission submission) throws Exception {
    return service.append(ledger, submission).committed().firstJsn();
  }

  private void refused(Submission submission, RejectionCode code) {
    var _ = refused(code, () -> service.append(ledger, submission));
  }

  private static RequestRejectedException refused(RejectionCode code, ThrowingCallable asked) {
    RequestRejectedException refusal = catchThrowableOfType(RequestRejectedException.class, asked);
    assertThat(refusal).as("a refusal, %s", code).isNotNull();
    assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
    return refusal;
  }

  private JournalView journal(long jsn, boolean withBody) throws Exception {
    return service.node.journal(ledger.strand(), jsn, withBody);
  }

  private int listed(long from) throws Exception {
    int[] leaves = {0};
    service.node.readJournals(
        ledger.strand(),
        from,
        service.node.newestSize(ledger.strand()),
        true,
        (_, _, _, _, _, _, _) -> ++leaves[0] > 0);
    return leaves[0];
  }

  private int walked(long from) throws Exception {
    int[] leaves = {0};
    service.node.readLog(
        ledger.strand(),
        from,
        service.node.newestSize(ledger.strand()),
        true,
        (_, _, _, _, _, _, _) -> ++leaves[0] > 0);
    return leaves[0];
  }

  private Snapshot prepare(long height) throws Exception {
    return Snapshot.decode(
        service.node.purges().orElseThrow().prepare(ledger.strand(), height, List.of()));
  }

  private Submission purge(Snapshot snapshot, long recallMs, SeededSigner... signers) {
    return ledger.govern(
        Kind.PURGE,
        new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), recallMs),
        signers);
  }

  private long height() throws Exception {
    return service.node.newestBlock(ledger.strand()).height();
  }

  /// The bundle that firstKept is in stays as evidence: its leaves are not read as journals.
  @Test
  void noJournalBelowIsReadOnceThePurgeIsCommitted() throws Exception {
    service.found(ledger);
    long governs = append(OccultStory.regulator(ledger));
    long gone = append(ledger.single(1));
    Snapshot snapshot = prepare(height());
    long kept = snapshot.firstKept().value();
    append(ledger.single(2));
    long first = append(purge(snapshot, 0, Fixtures.ALICE));
    service.clock.set(Fixtures.TIME_MS + 1);
    ledger = new Fixtures(ledger.params(), Fixtures.TIME_MS + 1);
    OccultStory.awaitErased(service, 1);
    long between = append(ledger.single(3));
    long last = append(purge(prepare(height()), DAY_MS, Fixtures.ALICE));
    long firstKept = between + 2; // behind its seal
    for (long jsn : new long[] {gone, gone + 1, kept - 1, kept, between, between + 1}) {
      RequestRejectedException alone = refused(RejectionCode.PURGED, () -> journal(jsn, true));
      assertThat(alone.jsn()).as("of %d", jsn).hasValue(jsn < kept ? first : last);
      assertThat(alone.limit()).hasValue(firstKept);
      refused(RejectionCode.PURGED, () -> service.node.provenJournal(ledger.strand(), jsn, 0));
      refused(RejectionCode.PURGED, () -> listed(jsn));
      assertThat(journal(jsn, false).leaf().isEmpty()).isFalse();
    }
    refused(RejectionCode.PURGED, () -> listed(0));
    assertThat(walked(0)).isEqualTo((int) service.node.newestSize(ledger.strand()));
    assertThat(listed(firstKept)).isEqualTo(2);
    assertThat(journal(0, true).bodyState()).isEqualTo(BodyState.NONE);
    for (long jsn : new long[] {governs, first}) {
      assertThat(journal(jsn, true).bodyState()).isEqualTo(BodyState.ERASED);
      assertThat(service.node.provenJournal(ledger.strand(), jsn, 0).journal().attestation())
          .isNotNull();
    }
    append(ledger.govern(Kind.RECALL, new Extension.Recall(new Jsn(last)), Fixtures.ALICE));
    assertThat(journal(between, true).bodyState()).isEqualTo(BodyState.PRESENT);
    refused(RejectionCode.PURGED, () -> journal(gone, true));
  }

  @Test
  void refusalsNameWhatWasAskedFor() throws Exception {
    service.found(ledger);
    append(OccultStory.regulator(ledger));
    long erased = append(ledger.single(1));
    long occult = append(OccultStory.occult(ledger, OccultStory.journals(service, ledger, erased)));
    OccultStory.awaitErased(service, 1);
    assertThat(service.node.removalCertificate(ledger.strand(), occult).isEmpty()).isFalse();
    append(ledger.batch(1_000, 260));
    Snapshot snapshot = prepare(height());
    Extension.Purge elsewhere =
        new Extension.Purge(snapshot.firstKept(), snapshot.height() - 1, snapshot.digest(), 0);
    refused(
        ledger.govern(Kind.PURGE, elsewhere, Fixtures.ALICE, Fixtures.CAROL),
        RejectionCode.TARGET_INVALID);
    long purge = append(purge(snapshot, DAY_MS, Fixtures.ALICE, Fixtures.CAROL));
    for (long asked : new long[] {occult, erased}) {
      RequestRejectedException refusal =
          refused(
              RejectionCode.PURGED, () -> service.node.removalCertificate(ledger.strand(), asked));
      assertThat(refusal).hasMessageContaining("certificate of occult " + occult);
      assertThat(refusal.jsn()).hasValue(purge);
    }
    for (long none : new long[] {-1, 99_999}) {
      RequestRejectedException refusal =
          refused(RejectionCode.OUT_OF_RANGE, () -> service.node.erasure(ledger.strand(), none));
      assertThat(refusal).hasMessageContaining("leaf " + none);
      refused(
          RejectionCode.OUT_OF_RANGE, () -> service.node.removalCertificate(ledger.strand(), none));
    }
    append(ledger.govern(Kind.RECALL, new Extension.Recall(new Jsn(purge)), Fixtures.ALICE));
    service.clock.set(Fixtures.TIME_MS + 1);
    ledger = new Fixtures(ledger.params(), Fixtures.TIME_MS + 1);
    RequestRejectedException again =
        refused(
            RejectionCode.TARGET_INVALID,
            () ->
                service.append(
                    ledger,
                    ledger.govern(
                        Kind.RECALL, new Extension.Recall(new Jsn(purge)), Fixtures.ALICE)));
    assertThat(again).hasMessageContaining("not recalled is none, not journal " + purge);
  }

  /// The lineage of a clue, and leaves of the bundle that firstKept is in, are read as evidence.
  @Test
  void anOccultNamesNoPurgedJournal() throws Exception {
    ledger = ledger.withFeatures(Set.of(Feature.CLUE_TRIE));
    service.found(ledger);
    append(OccultStory.regulator(ledger));
    long purged = append(ledger.clued(1, "order"));
    long height = height();
    long kept = append(ledger.clued(2, "order"));
    append(purge(prepare(height), DAY_MS, Fixtures.ALICE));
    refused(
        OccultStory.occult(ledger, OccultStory.journals(service, ledger, purged)),
        RejectionCode.PURGED);
    refused(
        OccultStory.occult(ledger, OccultStory.clue(ledger, "order", purged, kept)),
        RejectionCode.PURGED);
    append(OccultStory.occult(ledger, OccultStory.clue(ledger, "order", purged + 1, kept)));
  }

  /// Whom a purge affects is told from where the purge before ended.
  @Test
  void aSnapshotOnTopOfAPurgeThatWasRecalledIsUnknown() throws Exception {
    service.found(ledger);
    append(ledger.memberAdd(Role.NORMAL, DAVE.publicKey()));
    append(ledger.submission(ledger.requests(1, 1), DAVE));
    long height = height();
    append(ledger.single(10));
    long first = append(purge(prepare(height), DAY_MS, Fixtures.ALICE, DAVE));
    append(ledger.single(11));
    Snapshot onTop = prepare(height());
    assertThat(onTop.affected()).containsExactly(Fixtures.ALICE.publicKey().kid());
    append(ledger.govern(Kind.RECALL, new Extension.Recall(new Jsn(first)), Fixtures.ALICE));
    refused(purge(onTop, 0, Fixtures.ALICE), RejectionCode.SNAPSHOT_UNKNOWN);
    Snapshot anew = prepare(onTop.height());
    assertThat(anew.affected()).hasSize(2);
    append(purge(anew, 0, Fixtures.ALICE, DAVE));
  }

  /// Its leaf is gone, and with it what says whether the key was delegated.
  @Test
  void aRepeatOfWhatWasPurgedIsAnswered() throws Exception {
    service.found(ledger);
    append(
        ledger.govern(
            Kind.GRANT,
            new Extension.Grant(
                Role.NORMAL,
                DAVE.publicKey(),
                OptionalLong.empty(),
                Optional.empty(),
                true,
                Optional.empty()),
            Fixtures.ALICE));
    Submission delegated = ledger.submission(ledger.requests(1, 3), DAVE);
    Submission own = ledger.single(10);
    Receipted ofDelegated = service.append(ledger, delegated);
    Receipted ofOwn = service.append(ledger, own);
    append(ledger.batch(1_000, 260));
    append(purge(prepare(height()), DAY_MS, Fixtures.ALICE, DAVE));
    Receipted delegatedAgain = service.append(ledger, delegated);
    Receipted ownAgain = service.append(ledger, own);
    assertThat(delegatedAgain.committed().firstJsn()).isEqualTo(ofDelegated.committed().firstJsn());
    assertThat(delegatedAgain.committed().delegated()).isTrue();
    assertThat(ownAgain.committed().firstJsn()).isEqualTo(ofOwn.committed().firstJsn());
    assertThat(ownAgain.committed().delegated()).isFalse();
  }

  /// The service signs a key rotation beside the members.
  @Test
  void theWindowHasTheServicesSignatures() throws Exception {
    service.found(ledger);
    append(ledger.single(1));
    long rotation =
        append(
            ledger.govern(
                Kind.KEY_ROTATION,
                new Extension.KeyRotation(
                    Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey()),
                Fixtures.ALICE));
    int signatures =
        Attestation.decode(
                Objects.requireNonNull(
                    service.node.journal(ledger.strand(), rotation, false).attestation()),
                Kind.KEY_ROTATION)
            .signatures()
            .size();
    assertThat(signatures).isEqualTo(3);
    append(ledger.single(2));
    assertThat(prepare(height() - 1).windowCount()).isEqualTo(1 + signatures);
  }
}
