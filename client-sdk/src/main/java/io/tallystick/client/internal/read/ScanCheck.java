package io.tallystick.client.internal.read;

import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.ListJournalsResponse;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.journal.JournalFilter;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import java.util.Locale;

/// Checks that a scan looked where it was asked to, and found what it was asked for. That it left
/// nothing out cannot be checked.
final class ScanCheck {
  private ScanCheck() {}

  /// @param size of the tree to look at
  static void check(ListJournalsResponse answer, JournalFilter filter, Jsn from, TreeSize size)
      throws ProofRejectedException {
    if (answer.getSize() != size.value()) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, "a scan of " + answer.getSize() + " leaves, want " + size);
    }
    long end = answer.getScannedTo();
    if (!answer.hasScannedTo() || end < from.value() || end > size.value()) {
      throw new ProofRejectedException(
          Reason.SIZE_OUT_OF_RANGE,
          String.format(
              Locale.ROOT, "a scan from %s to %d in a log of %s leaves", from, end, size));
    }
    boolean goesOn = answer.hasNextFromJsn();
    if (goesOn
        ? answer.getNextFromJsn() != end || end == from.value()
        : isCutShort(end, filter, size)) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(
              Locale.ROOT,
              "a scan from %s that ends at %d of %s leaves and %s",
              from,
              end,
              size,
              goesOn ? "goes on at " + answer.getNextFromJsn() : "is said to be over"));
    }
    long before = from.value() - 1;
    for (JournalEntry entry : answer.getJournalsList()) {
      if (entry.getJsn() <= before || entry.getJsn() >= end) {
        throw new ProofRejectedException(
            Reason.WRONG_JSN,
            String.format(
                Locale.ROOT, "journal %d behind %d in a scan to %d", entry.getJsn(), before, end));
      }
      before = entry.getJsn();
    }
  }

  /// Only behind the filter's last time nothing is looked at.
  private static boolean isCutShort(long end, JournalFilter filter, TreeSize size) {
    return end < size.value() && filter.toTimeMs().isEmpty();
  }

  /// @param journal verified, with the attestation of `entry`
  static void checkFits(LedgerJournal journal, JournalEntry entry, JournalFilter filter)
      throws ProofRejectedException {
    try {
      if (!filter.matches(journal.leaf(), WireBytes.bytes(entry.getAttestation()))) {
        throw new ProofRejectedException(
            Reason.LEAF_MISMATCH,
            "journal " + journal.jsn() + " is shown, which does not fit " + filter);
      }
    } catch (MalformedException e) {
      throw new ProofRejectedException(
          Reason.MALFORMED, "journal " + journal.jsn() + ": " + e.getMessage(), e);
    }
  }
}
