package io.tallystick.audit.history;

import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.receipt.ReceiptFile;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// The entries of T-Ledgers that the time journals of one log show, compared with each other: those
/// of one T-Ledger stand in it in the same order, under heads that do not get smaller, and two
/// heads of one size have one root. It needs no key of the T-Ledger. That a larger head continues a
/// smaller one shows only the T-Ledger's own log. Source: `docs/formats/t-ledger.md`. Not
/// thread-safe.
final class EntryOrder {
  private final Map<LedgerId, Shown> newest = new HashMap<>();

  /// @param jsn of the entry in the T-Ledger
  /// @param size and root of the head that its receipt is under
  private record Shown(long jsn, long size, Digest root) {}

  /// To be told of each proof in the order of the log.
  ///
  /// @throws ProofRejectedException `MALFORMED`; `FORK` and `ROLLBACK` if it contradicts the one
  ///   before of this T-Ledger
  void check(TimeProof.TLedger proof) throws ProofRejectedException {
    Shown now = shown(proof);
    Shown before = newest.put(proof.ledger(), now);
    if (before == null) {
      return;
    }
    if (now.size == before.size && !now.root.equals(before.root)) {
      throw new ProofRejectedException(
          Reason.FORK,
          String.format(
              Locale.ROOT,
              "of size %d the T-Ledger signed root %s before, now %s",
              now.size,
              before.root,
              now.root));
    }
    if (now.jsn <= before.jsn || now.size < before.size) {
      throw new ProofRejectedException(
          Reason.ROLLBACK,
          String.format(
              Locale.ROOT,
              "entry %d under size %d of the T-Ledger, the time journal before shows %d under %d",
              now.jsn,
              now.size,
              before.jsn,
              before.size));
    }
  }

  private static Shown shown(TimeProof.TLedger proof) throws ProofRejectedException {
    try {
      ReceiptFile file = ReceiptFile.decode(proof.receiptFile());
      if (!(Leaf.decode(file.leaf()) instanceof JournalLeaf journal)) {
        throw new ProofRejectedException(Reason.WRONG_TYPE, "the receipt is of no journal");
      }
      return new Shown(
          journal.jsn().value(),
          file.receipt().proof().size(),
          file.receipt().proof().rootFrom(TreeHasher.leafHash(file.leaf())));
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "T-Ledger proof: " + e.getMessage(), e);
    }
  }
}
