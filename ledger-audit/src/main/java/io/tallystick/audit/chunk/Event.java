package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier.Signer;
import io.tallystick.journal.Extension;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.List;
import java.util.Optional;

/// An event that a worker found and the replay has to judge in order.
public sealed interface Event {
  /// The last leaf it concerns: it is judged when the replay gets there.
  long lastJsn();

  /// @param upTo what its chunk's worker had counted with this leaf
  /// @param source where its source has this entry; 0 if unknown
  record Sealed(SealLeaf seal, RunningCounts upTo, long source) implements Event {
    @Override
    public long lastJsn() {
      return seal.jsn().value();
    }
  }

  /// @param kids of all members who signed, ascending; empty if the attestation cannot be read
  /// @param expiresMs the latest of its requests
  /// @param shown its one leaf, if it is of a governance kind
  /// @param extension of a single request, `None` for a batch
  /// @param flags what its leaves say of their signers
  record Submission(
      long firstJsn,
      int count,
      List<Digest> kids,
      Verdict verdict,
      Extension extension,
      Flags flags,
      long expiresMs,
      Optional<Shown> shown)
      implements Event {
    @Override
    public long lastJsn() {
      return firstJsn + count - 1;
    }

    /// Whether it changes the ledger itself.
    public boolean governance() {
      return !(extension instanceof Extension.None);
    }
  }

  /// A leaf and the attestation that it commits to.
  record Shown(Bytes leaf, Bytes attestation) {}

  /// Bit 0 of the leaves' flags.
  ///
  /// @param delegated of the first leaf
  /// @param otherJsn the first leaf that says otherwise; negative if none does
  record Flags(boolean delegated, long otherJsn) {
    /// All leaves say the same.
    static Flags of(boolean delegated) {
      return new Flags(delegated, -1);
    }
  }

  /// The verdict of a worker on the signatures of a submission.
  sealed interface Verdict {
    record Good(List<Signer> signers) implements Verdict {}

    /// @param readable whether the kids could be read
    record Bad(AuditFault fault, boolean readable) implements Verdict {}

    /// A key was not known yet; all members' keys are by the time of the replay.
    record Open(List<RequestHeader> headers, List<Digest> hashes, Attestation attestation)
        implements Verdict {}
  }
}
