package io.tallystick.audit;

import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.removal.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The report of an audit, and the snapshot that a purge of the log's beginning must have.
///
/// @param snapshot of a purge in which no affected member is absent; empty if the audit found a
///   fault, if no block ends there, or if the ledger is permanent
public record AuditedSnapshot(AuditReport report, Optional<Snapshot> snapshot) {
  private static final int TRIED_MEMBERS_MAX = 12;
  private static final long TRIED_BYTES_MAX = 1L << 28;

  /// Checks that the snapshot a purge names is the one that the log makes. Whoever signs a purge
  /// calls this first, after an audit whose report names no fault. Source:
  /// `docs/formats/removal.md`, "Snapshot".
  ///
  /// @param absent kids of the affected members who are absent, as the signer knows it
  /// @throws ProofRejectedException `WRONG_JSN` if there is no snapshot; `MISSING` if one is absent
  ///   who is not affected; `COMMITMENT_MISMATCH` if the purge names another snapshot
  public void verify(Extension.Purge purge, List<Digest> absent) throws ProofRejectedException {
    if (snapshot.isEmpty()) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN, "no block of the log ends below " + purge.firstKept());
    }
    Snapshot made;
    try {
      made = snapshot.get().withAbsent(absent);
    } catch (IllegalArgumentException e) {
      throw new ProofRejectedException(Reason.MISSING, "absent: " + e.getMessage(), e);
    }
    if (!made.digest().equals(purge.snapshotDigest())) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          String.format(
              Locale.ROOT,
              "the log makes a snapshot with digest %s, the purge states %s; affected are %s, absent %s",
              made.digest(),
              purge.snapshotDigest(),
              made.affected(),
              made.absent()));
    }
  }

  /// Whom a purge's snapshot calls absent, if it is the one that the log makes but for that: found
  /// by trying, since a purge states nothing but a digest.
  ///
  /// @return empty if it is another snapshot, or if there is too much to try: more than 12 affected
  ///   members, or 256 MiB of snapshots
  public Optional<List<Digest>> absentIn(Extension.Purge purge) {
    if (snapshot.isEmpty()) {
      return Optional.empty();
    }
    List<Digest> affected = snapshot.get().affected();
    if (affected.size() > TRIED_MEMBERS_MAX
        || (long) snapshot.get().encode().size() << affected.size() > TRIED_BYTES_MAX) {
      return Optional.empty();
    }
    for (int set = 0; set < 1 << affected.size(); set++) {
      List<Digest> absent = new ArrayList<>();
      for (int i = 0; i < affected.size(); i++) {
        if ((set >> i & 1) == 1) {
          absent.add(affected.get(i));
        }
      }
      if (snapshot.get().withAbsent(absent).digest().equals(purge.snapshotDigest())) {
        return Optional.of(absent);
      }
    }
    return Optional.empty();
  }
}
