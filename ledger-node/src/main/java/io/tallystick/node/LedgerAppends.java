package io.tallystick.node;

import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.List;
import java.util.Optional;

/// Where verified submissions are handed to a node.
public interface LedgerAppends extends NodeDoor {
  /// Hands verified submissions to the sequencer, which takes them in this order. Refusals arrive
  /// through the waiters, also `RATE_LIMITED` when too much is admitted already.
  ///
  /// @param following how many more the caller has taken in and will hand over, or refuse, soon: a
  ///   hint that a block may wait for them, a few milliseconds at most
  void append(List<Appending> submissions, int following);

  /// Refuses every append to a ledger with `READ_ONLY` from now on, those of the service itself
  /// included, until that is lifted: a witness has seen a head of it that it does not have. Durable
  /// on return. What was handed over before may still be committed. Reads go on.
  ///
  /// @param seenSize of that head; the largest is the `limit` of each refusal
  /// @param by name of the witness
  default void makeReadOnly(LedgerId ledger, long seenSize, String by)
      throws RequestRejectedException {
    Done _ = change(new NodeChange.MakeReadOnly(ledger, seenSize, by));
  }

  /// Takes back what a witness has said, or all witnesses: for that witness, or for the operator.
  ///
  /// @return whether there was anything to take back
  default boolean liftReadOnly(LedgerId ledger, Optional<String> by)
      throws RequestRejectedException {
    return change(new NodeChange.LiftReadOnly(ledger, by));
  }

  /// {@link #append(List, int)} for one that is waited for alone.
  ///
  /// @throws RequestRejectedException if it is refused at once
  default AppendTicket append(VerifiedSubmission submission) throws RequestRejectedException {
    AppendTicket ticket = AppendTicket.open();
    append(List.of(new Appending(submission, ticket)), 0);
    ticket.throwIfRefused();
    return ticket;
  }
}
