package io.tallystick.audit;

import io.tallystick.audit.LogSource.LogReader;
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
import java.io.IOException;
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

  /// What an entry proves.
  ///
  /// @param timeMs of the entry's leaf, by the T-Ledger's clock
  /// @param notBeforeMs by its tokens; −1 if none proves it
  /// @param notAfterMs likewise
  record Shown(long timeMs, long notBeforeMs, long notAfterMs) {}

  /// Known by its keys alone: no time of its entries is bounded.
  ///
  /// @throws ProofRejectedException if the chain does not lead on from these GenesisParams
  public static TrustedTLedger of(Bytes genesisParams, KeyChain chain, Signatures signatures)
      throws ProofRejectedException {
    LedgerId id = Commitments.ledgerId(genesisParams);
    ServiceKeys keys = chain.verify(genesisParams, new StrandId(id, 0), signatures).keys();
    return new TrustedTLedger(id, keys, TimeWindows.UNKNOWN, null);
  }

  /// Known by its whole log, which is audited first, without its bodies.
  ///
  /// @param submitter whose entries are to be judged
  /// @param options of the audit: by its authorities the T-Ledger's tokens are judged
  /// @throws ProofRejectedException `BROKEN_CHAIN` if the T-Ledger's log has a fault, `MALFORMED`
  ///   if it is none
  /// @throws IOException if the source cannot be reached: nothing is known then
  /// @throws AuditLimitException if the log is beyond this auditor's bounds: nothing is known then
  public static TrustedTLedger read(
      LogSource source, LedgerId submitter, AuditOptions options, Signatures signatures)
      throws IOException, AuditLimitException, InterruptedException, ProofRejectedException {
    StrandId strand = strand(source);
    EntryBounds bounds =
        new EntryBounds(Commitments.clueId(strand.ledger(), EntryInclusion.clue(submitter)));
    AuditRun run =
        new AuditRun(
            strand, signatures, options.withoutBodies(), SignatureWindow.OPEN_MAX, null, bounds);
    AuditReport report;
    try {
      report = run.audit(source);
    } catch (StatementException e) {
      throw new AssertionError("no statement was asked for", e);
    }
    if (report.firstFault().isPresent()) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN,
          String.format(
              Locale.ROOT,
              "T-Ledger %s itself has a fault: %s",
              strand.ledger(),
              report.firstFault().get()));
    }
    return new TrustedTLedger(strand.ledger(), run.keys(), report.size().value(), bounds);
  }

  private static StrandId strand(LogSource source) throws IOException, ProofRejectedException {
    try (LogReader log = source.open()) {
      return log.strand();
    } catch (LogFormatException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "the T-Ledger: " + e.getMessage(), e);
    }
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
  Shown judge(
      TimeProof.TLedger proof, LedgerId submitter, Checkpoint stamped, Signatures signatures)
      throws ProofRejectedException {
    EntryInclusion shown = EntryInclusion.verify(proof, submitter, stamped, keys, signatures);
    if (bounds == null || shown.jsn() >= size) {
      return new Shown(shown.timeMs(), TimeWindows.UNKNOWN, TimeWindows.UNKNOWN);
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
