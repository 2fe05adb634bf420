package io.tallystick.audit.options;

import io.tallystick.audit.statement.TimeState;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.tledger.EntryInclusion;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A T-Ledger that the auditor chose, by which time journals with an entry of it (proof 2) are
/// judged. Its keys alone show that an entry is its own; its whole log shows that the entry stands
/// there, and by its own time journals when the entry was made. Thread-safe once it is made.
public final class TrustedTLedger {
  private final LedgerId id;
  private final ServiceKeys keys;
  private final long size;
  private final @Nullable EntryBounds bounds;

  private TrustedTLedger(LedgerId id, ServiceKeys keys, long size, @Nullable EntryBounds bounds) {
    this.id = id;
    this.keys = keys;
    this.size = size;
    this.bounds = bounds;
  }

  /// The times that an entry of the T-Ledger proves, in milliseconds since the epoch.
  ///
  /// @param timeMs of the entry's leaf, by the T-Ledger's clock
  /// @param notBeforeMs by its tokens; −1 if none proves it
  /// @param notAfterMs likewise
  public record Shown(long timeMs, long notBeforeMs, long notAfterMs) {}

  /// Known by its keys alone: no time of its entries is bounded.
  ///
  /// @throws ProofRejectedException if the chain does not lead on from these GenesisParams
  public static TrustedTLedger of(Bytes genesisParams, KeyChain chain, Signatures signatures)
      throws ProofRejectedException {
    LedgerId id = Commitments.ledgerId(genesisParams);
    ServiceKeys keys = chain.verify(genesisParams, new StrandId(id, 0), signatures).keys();
    return new TrustedTLedger(id, keys, TimeState.UNKNOWN, null);
  }

  /// Known by its whole log, in which an audit found no fault.
  ///
  /// @param size how many leaves the log has
  /// @param bounds what the audit saw of a submitter's entries
  public static TrustedTLedger audited(
      LedgerId id, ServiceKeys keys, long size, EntryBounds bounds) {
    return new TrustedTLedger(id, keys, size, bounds);
  }

  public LedgerId id() {
    return id;
  }

  /// How many of its leaves were audited; −1 if only its keys are known.
  public long size() {
    return size;
  }

  /// @param submitter the ledger of the time journal
  /// @param stamped what the time journal says of its own log
  /// @throws ProofRejectedException as {@link EntryInclusion#verify}; `LEAF_MISMATCH` if the
  ///   T-Ledger's log has something else there, `FORK` if it never had the head of the receipt
  public Shown judge(
      TimeProof.TLedger proof, LedgerId submitter, Checkpoint stamped, Signatures signatures)
      throws ProofRejectedException {
    EntryInclusion shown = EntryInclusion.verify(proof, submitter, stamped, keys, signatures);
    if (bounds == null || shown.jsn() >= size) {
      return new Shown(shown.timeMs(), TimeState.UNKNOWN, TimeState.UNKNOWN);
    }
    EntryBounds.Entry entry =
        bounds
            .at(shown.jsn())
            .filter(there -> there.leafHash().equals(shown.leafHash()))
            .orElseThrow(() ->
                new ProofRejectedException(
                    Reason.LEAF_MISMATCH,
                    String.format(
                        Locale.ROOT,
                        "the T-Ledger's log has something else at %d than the entry that it signed",
                        shown.jsn())));
    if (shown.head().size().value() <= size) {
      bounds.checkHead(shown.head().size().value(), shown.head().root().digest());
    }
    return new Shown(shown.timeMs(), entry.notBeforeMs(), entry.notAfterMs());
  }
}
