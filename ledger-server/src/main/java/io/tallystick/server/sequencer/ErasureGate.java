package io.tallystick.server.sequencer;

import io.tallystick.model.LedgerId;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// Between recalls and the erasing of what purges removed: of the two only one comes to pass, also
/// when both come at a time. Thread-safe.
public final class ErasureGate {
  private record Purge(LedgerId ledger, long jsn) {}

  private final Set<Purge> begun = new HashSet<>();

  /// The erasing of a purge begins, unless it was recalled.
  ///
  /// @param inForce whether it was not recalled; asked while no recall is decided
  /// @return false if it was recalled
  public synchronized boolean begin(LedgerId ledger, long jsn, BooleanSupplier inForce) {
    boolean begins = inForce.getAsBoolean();
    if (begins) {
      begun.add(new Purge(ledger, jsn));
    }
    return begins;
  }

  /// A purge is recalled, unless its erasing has begun.
  ///
  /// @param recall done while no erasing begins
  /// @return false if it has begun
  synchronized boolean recall(LedgerId ledger, long jsn, Runnable recall) {
    if (begun.contains(new Purge(ledger, jsn))) {
      return false;
    }
    recall.run();
    return true;
  }
}
