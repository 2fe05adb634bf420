package io.tallystick.master.tledger;

import io.tallystick.journal.Body;
import io.tallystick.journal.Commitments;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.JournalView;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LineageQuery;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import io.tallystick.tledger.EntryInclusion;
import io.tallystick.tledger.HeadEntry;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// The entries that a T-Ledger holds of a ledger, read from the T-Ledger itself.
///
/// @param strand of the T-Ledger
record HeldEntries(LedgerNode node, StrandId strand) {
  /// The size of a ledger's newest head in the T-Ledger.
  ///
  /// @throws RequestRejectedException as the node refuses reads
  OptionalLong lastSize(LedgerId ledger) throws RequestRejectedException {
    Optional<Bytes> note = newestNote(ledger);
    try {
      return note.isEmpty()
          ? OptionalLong.empty()
          : OptionalLong.of(Checkpoint.parse(SignedNote.decode(note.get()).text()).size().value());
    } catch (MalformedException e) {
      throw damaged(String.valueOf(e.getMessage()), e);
    }
  }

  /// The note of its newest entry.
  Optional<Bytes> newestNote(LedgerId ledger) throws RequestRejectedException {
    Digest clueId = Commitments.clueId(strand.ledger(), EntryInclusion.clue(ledger));
    List<Long> jsns =
        node.lineage(strand, new LineageQuery(clueId, LineageQuery.FROM_END, false, true, 1, 0, 0))
            .jsns();
    if (jsns.isEmpty()) {
      return Optional.empty();
    }
    JournalView journal = node.journal(strand, jsns.getFirst(), true);
    Bytes body = journal.body();
    if (body == null) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "entry " + journal.jsn() + " has no body");
    }
    try {
      return Optional.of(HeadEntry.decode(Body.decode(body).payload()).note());
    } catch (MalformedException e) {
      throw damaged("entry " + journal.jsn() + ": " + e.getMessage(), e);
    }
  }

  private static RequestRejectedException damaged(String detail, Exception cause) {
    return new RequestRejectedException(RejectionCode.DAMAGED, detail, cause);
  }
}
