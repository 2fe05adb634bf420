package io.tallystick.server.sequencer;

import io.tallystick.journal.Extension;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.note.NoteDraft;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.world.RemovalRows;
import java.io.IOException;
import java.util.Locale;

/// Refuses the recall of a purge whose erasing has begun. The note that says so comes before the
/// first byte goes, and is decided by the same thread: of the two only one comes to pass.
final class RecallCheck {
  private RecallCheck() {}

  /// @param notes of the frame that the recall would be in
  /// @throws RequestRejectedException `ERASURE_BEGUN`; `UNAVAILABLE` if the rows cannot be read
  static void check(NoteDraft notes, LedgerId ledger, Extension.Removal removal)
      throws RequestRejectedException {
    if (!(removal instanceof Extension.Recall recall)) {
      return;
    }
    long purge = recall.purge().value();
    boolean begun;
    try {
      begun = hasBegun(notes, ledger, purge);
    } catch (IOException | MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "whether purge " + purge + " is being erased: " + e, e);
    }
    if (begun) {
      throw new RequestRejectedException(
              RejectionCode.ERASURE_BEGUN,
              String.format(Locale.ROOT, "what purge %d removed is being erased", purge))
          .atJsn(purge);
    }
  }

  private static boolean hasBegun(NoteDraft notes, LedgerId ledger, long purge)
      throws IOException, MalformedException {
    if (notes.get(PendingErasureRow.notedKey(ledger, purge)) != null
        || notes.get(RemovalRows.doneKey(ledger, purge)) != null) {
      return true;
    }
    // The row of a savepoint says so if an older software has begun.
    Bytes row = notes.get(PendingErasureRow.key(ledger, purge));
    return row != null && PendingErasureRow.decode(row).hasBegun();
  }
}
