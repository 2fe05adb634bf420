package io.tallystick.server.note;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Member;
import io.tallystick.server.world.Purge;
import java.io.IOException;
import java.util.Optional;

/// A change of noted rows that is decided by what they hold and by what is committed. Runs on the
/// commit thread: it is short, and waits for no other thread.
///
/// @param <R> what the caller is told once the notes are durable
@FunctionalInterface
public interface NoteDecision<R> {
  /// Puts its notes into the draft, or none.
  ///
  /// @throws RequestRejectedException if it is refused; what it put into the draft is taken back
  R decide(NoteDraft draft, Moment moment) throws IOException, RequestRejectedException;

  /// What is committed when a decision is taken.
  interface Moment {
    /// In milliseconds since 1970: never less than the clock, or than the newest journal.
    long timeMs();

    /// The member whose key it is, current or not; empty if it is none's.
    Optional<Member> member(LedgerId ledger, Digest kid);

    /// The purge that a journal is, if it is in force.
    Optional<Purge> purge(LedgerId ledger, long jsn);
  }
}
