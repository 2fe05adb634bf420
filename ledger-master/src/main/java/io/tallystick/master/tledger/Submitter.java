package io.tallystick.master.tledger;

import io.tallystick.crypto.Sha256;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A ledger that submits its heads: its newest head in the T-Ledger, and whether another one is
/// under way. Not thread-safe but for {@link #keys}; its monitor guards it.
final class Submitter {
  private volatile @Nullable Introduced introduced;
  private boolean underWay;
  private boolean known;
  private boolean forgotten;
  private Optional<SignedHead> last = Optional.empty();
  private @Nullable Answer answer;

  /// The answer to the newest head.
  ///
  /// @param timeMs when its entry was handed to the ledger
  private record Answer(TakenHead taken, long timeMs) {}

  /// Keys that a chain led to.
  private record Introduced(Digest keyChain, ServiceKeys keys) {}

  /// The keys that this chain was found to lead to. Needs no monitor.
  ///
  /// @return empty if another chain was judged last, or none
  Optional<ServiceKeys> keys(Bytes keyChain) {
    Introduced now = introduced;
    return now != null && now.keyChain.equals(Sha256.hash(keyChain.unsafeArray()))
        ? Optional.of(now.keys)
        : Optional.empty();
  }

  /// Whether these keys have all rotations that were shown before. A chain without the newest ones
  /// is sound by itself, and would let a key sign again that was rotated away.
  boolean continuedBy(ServiceKeys keys) {
    Introduced now = introduced;
    if (now == null) {
      return true;
    }
    List<ServiceKeys.Term> shown = now.keys.terms();
    List<ServiceKeys.Term> terms = keys.terms();
    return terms.size() >= shown.size() && terms.subList(0, shown.size()).equals(shown);
  }

  void introduce(Bytes keyChain, ServiceKeys keys) {
    introduced = new Introduced(Sha256.hash(keyChain.unsafeArray()), keys);
  }

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

  /// The answer to the newest head, if it is this one and not older than so many ms: whoever did
  /// not get the answer asks again.
  Optional<TakenHead> answered(SignedHead head, long nowMs, long agoMs) {
    Answer newest = answer;
    boolean same = last.isPresent() && last.get().statesSameAs(head);
    return same && newest != null && nowMs - newest.timeMs <= agoMs
        ? Optional.of(newest.taken)
        : Optional.empty();
  }

  void taken(SignedHead head, TakenHead taken, long timeMs) {
    know(Optional.of(head));
    answer = new Answer(taken, timeMs);
    underWay = false;
  }

  /// Whether nothing would be lost if it were forgotten.
  boolean idle() {
    return !underWay;
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
