package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Signatures;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.Appending;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Goal: only who may append makes the shard read what preconditions depend on. Method: after a
/// start nothing of the state is in memory; count the reads of the disk by the thread that appends.
class PreconditionReadsTest {
  private static final Bytes KEY = Bytes.utf8("key");
  private static final SeededSigner READER = SeededSigner.ed25519("reader");
  private static final SeededSigner STRANGER = SeededSigner.ed25519("stranger");

  private final HookedDisk disk = new HookedDisk(new InMemoryDisk());
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger().withSmallState();

  private VerifiedSubmission conditional(int number, SeededSigner signer) throws Exception {
    DraftOp op = new DraftOp.Put(KEY, Bytes.utf8("v" + number), new Precondition.IfAbsent());
    Submission submission =
        ledger.submission(ledger.draft(number).withOps(List.of(op)).build(), signer);
    Signatures signatures = TestNode.SIGNATURES;
    return new SubmissionVerifier(signatures, Set.of(Feature.CLUE_TRIE, Feature.STATE_FOREST))
        .verify(
            ledger.strand(),
            submission.requests(),
            submission.attestation(),
            _ -> Optional.of(signer.publicKey()));
  }

  private void checkRefused(
      TestNode node, VerifiedSubmission submission, RejectionCode code, boolean read)
      throws Exception {
    Thread here = Thread.currentThread();
    AtomicInteger reads = new AtomicInteger();
    disk.onRead =
        () -> {
          reads.addAndGet(Thread.currentThread().equals(here) ? 1 : 0);
          return false;
        };
    AppendTicket ticket = AppendTicket.open();
    node.node.append(List.of(new Appending(submission, ticket)), 0);
    assertThat(reads.get() > 0).as("%s reads for what ends as %s", reads, code).isEqualTo(read);
    disk.onRead = () -> false;
    assertThatThrownBy(() -> TestNode.await(ticket))
        .isInstanceOfSatisfying(
            RequestRejectedException.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }

  @Test
  void whoMayNotAppendCausesNoReading() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      node.append(ledger, ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()));
      node.append(ledger, ledger.memberAdd(Role.READ_ONLY, READER.publicKey()));
      node.append(ledger, ledger.memberRevoke(Fixtures.CAROL.publicKey().kid()));
      node.append(ledger, ledger.writing(1, DraftOp.put(KEY, KEY)));
    }
    try (TestNode node = new TestNode(disk, meta)) {
      checkRefused(node, conditional(2, STRANGER), RejectionCode.UNKNOWN_KEY, false);
      checkRefused(node, conditional(3, Fixtures.CAROL), RejectionCode.REVOKED_KEY, false);
      checkRefused(node, conditional(4, READER), RejectionCode.ROLE_NOT_ALLOWED, false);
      checkRefused(node, conditional(5, Fixtures.ALICE), RejectionCode.PRECONDITION_FAILED, true);
    }
  }
}
