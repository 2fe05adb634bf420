package io.tallystick.server.sim;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.node.KeptProposal;
import io.tallystick.server.proposal.TestProposals;
import io.tallystick.server.shard.Shard;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.StreamStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/// Goal: the simulator would notice. Method: one deliberate fault each in what the shard stands on;
/// within 400,000 steps some seed must fail.
class SabotageTest {
  private static final long STEPS_MAX = 400_000;
  private static final long RUN_STEPS = 4_000;

  private static void assertFound(Sabotage sabotage) {
    assertThatThrownBy(
            () -> {
              for (long seed = 1; seed * RUN_STEPS <= STEPS_MAX; seed++) {
                SimulatorRun.of(seed, RUN_STEPS, sabotage);
              }
            })
        .isInstanceOf(Violation.class)
        .hasMessageContaining("-Dtallystick.sim.seed=");
  }

  @Test
  void findsADiskThatDropsForces() {
    assertFindsDroppedForces(_ -> true);
  }

  @Test
  void findsCellsOfCluesThatAreNotForced() {
    assertFindsDroppedForces(name -> name.endsWith("/clues.arr"));
  }

  @Test
  void findsNodesOfTheClueTrieThatAreNotForced() {
    assertFindsDroppedForces(name -> name.endsWith(".slots"));
  }

  private static void assertFindsDroppedForces(Predicate<String> dropped) {
    assertFound(
        new Sabotage() {
          @Override
          public Disk disk(Disk disk) {
            return new DroppedForceDisk(disk, dropped);
          }
        });
  }

  @Test
  void findsAFrameThatIsAnsweredAndNeverWritten() {
    assertFound(
        new Sabotage() {
          @Override
          public StreamStore streams(StreamStore streams) {
            return LossyStreams.dropping(streams, 20);
          }
        });
  }

  @Test
  void findsARecoveryThatSkipsAFrame() {
    assertFound(
        new Sabotage() {
          @Override
          public StreamStore streams(StreamStore streams) {
            return LossyStreams.skipping(streams, 3, new AtomicBoolean());
          }
        });
  }

  @Test
  void findsARecoveryThatHasAFrameTwice() {
    assertFound(
        new Sabotage() {
          @Override
          public StreamStore streams(StreamStore streams) {
            return LossyStreams.doubling(streams, 3, new AtomicBoolean());
          }
        });
  }

  @Test
  void findsANoteThatIsSavedBeforeItsFrameIsDurable() {
    assertFound(new EarlyNotes(false));
  }

  @Test
  void findsASavepointWithANoteBehindItsPosition() {
    assertFound(new EarlyNotes(true));
  }

  @Test
  void findsANoteWhoseConditionIsNotLookedAt() {
    assertFound(
        new Sabotage() {
          @Override
          public CompletableFuture<?> hand(NoteAsk ask, Shard up) {
            return ask instanceof NoteAsk.Replace replace
                ? write(replace.after(), up)
                : ask.hand(up);
          }
        });
  }

  private static CompletableFuture<Boolean> write(KeptProposal after, Shard up) {
    Bytes row = TestProposals.row(after);
    return up.notes()
        .writeLater(
            row.size(),
            (draft, _) -> {
              draft.put(TestProposals.key(after.ledger(), after.requestHash()), row);
              return true;
            });
  }

  @Test
  void findsARepeatThatIsNotRecognised() {
    assertFound(
        new Sabotage() {
          @Override
          public VerifiedSubmission submission(VerifiedSubmission submission, int attempt) {
            return attempt < 2 ? submission : withOtherIds(submission, attempt);
          }
        });
  }

  private static VerifiedSubmission withOtherIds(VerifiedSubmission submission, int attempt) {
    List<AttestationVerifier.Signer> signers = new ArrayList<>();
    for (AttestationVerifier.Signer signer : submission.signers()) {
      Digest other = Sha256.hash(signer.signatureId().toArray(), new byte[] {(byte) attempt});
      signers.add(new AttestationVerifier.Signer(signer.kid(), other));
    }
    return new VerifiedSubmission(
        submission.strand(),
        submission.requests(),
        submission.headers(),
        submission.requestHashes(),
        submission.attestation(),
        submission.attestationBytes(),
        submission.attestHash(),
        signers);
  }

  @Test
  void findsAJournalDroppedFromABatch() {
    assertFound(
        new Sabotage() {
          @Override
          public VerifiedSubmission submission(VerifiedSubmission submission, int attempt) {
            int count = submission.requests().size();
            return count < 5
                ? submission
                : new VerifiedSubmission(
                    submission.strand(),
                    submission.requests().subList(0, count - 1),
                    submission.headers().subList(0, count - 1),
                    submission.requestHashes().subList(0, count - 1),
                    submission.attestation(),
                    submission.attestationBytes(),
                    submission.attestHash(),
                    submission.signers());
          }
        });
  }
}
