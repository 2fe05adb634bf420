package io.tallystick.master.tledger;

import io.tallystick.head.SignedHead;
import java.util.Optional;

/// A ledger that submits its heads: its newest head in the T-Ledger, and whether another one is
/// under way. Not thread-safe; its monitor guards it.
final class Submitter {
  private boolean underWay;
  private boolean known;
  private boolean forgotten;
  private Optional<SignedHead> last = Optional.empty();

  /// @return false if one is under way already
  boolean begin() {
    if (underWay) {
      return false;
    }
    underWay = true;
    return true;
  }

  /// Whether {@link #last} has been read from the T-Ledger.
  boolean known() {
    return known;
  }

  /// Whether another one may have taken this one's place.
  boolean forgotten() {
    return forgotten;
  }

  Optional<SignedHead> last() {
    return last;
  }

  void know(Optional<SignedHead> newest) {
    last = newest;
    known = true;
  }

  void taken(SignedHead head) {
    know(Optional.of(head));
    underWay = false;
  }

  /// The head was not taken, so what is known stays true.
  void refused() {
    underWay = false;
  }

  /// It holds nothing that could not be read again.
  void forget() {
    forgotten = true;
  }
}
