package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket.Receipted;
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
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class, () -> service.append(ledger, submission));
    assertThat(refusal).as("a refusal, %s", code).isNotNull();
    assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
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

  /// The bundle that firstKept is in stays readable, and the lineage of a clue, too.
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
