package io.tallystick.cluster.proxy;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.FollowerDoor;
import io.tallystick.node.FollowerRead;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.NodeRead;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// Puts questions that a follower may answer to owner and follower by turns, and to the other one
/// if the first cannot. Refusals are the owner's alone. What an erasure may have taken away a
/// follower answers only behind the newest frame of the owner, who is asked for it after the
/// question came. Thread-safe.
final class SpreadReads {
  private static final long NO_FRAME = -1;

  private final Routes routes;
  private final AtomicInteger turns = new AtomicInteger();

  SpreadReads(Routes routes) {
    this.routes = routes;
  }

  <R> R ask(LedgerId ledger, NodeRead<R> read) throws RequestRejectedException {
    FollowerRead kind = FollowerRead.of(read);
    if (kind == FollowerRead.NEVER) {
      return routes.of(ledger).ask(read);
    }
    Optional<FollowerDoor> follower = routes.follower(ledger);
    if (follower.isEmpty()) {
      return routes.of(ledger).ask(read);
    }
    boolean itsTurn = (turns.incrementAndGet() & 1) == 0;
    boolean readable = isReadable(ledger);
    // What is asked behind the owner's frame needs the owner, who is then asked at once.
    if (kind == FollowerRead.ALWAYS ? itsTurn || !readable : itsTurn && readable) {
      Optional<R> answer = ofFollower(follower.get(), ledger, kind, read);
      return answer.isPresent() ? answer.get() : routes.of(ledger).ask(read);
    }
    try {
      return routes.of(ledger).ask(read);
    } catch (RequestRejectedException e) {
      if (e.code() != RejectionCode.UNAVAILABLE || kind != FollowerRead.ALWAYS) {
        throw e;
      }
      return ofFollower(follower.get(), ledger, kind, read).orElseThrow(() -> e);
    }
  }

  /// Whether the owner has lately said that it can be read: one that stands still is not waited
  /// for.
  private boolean isReadable(LedgerId ledger) {
    try {
      return routes.of(ledger).health().readable();
    } catch (RequestRejectedException _) {
      return false;
    }
  }

  private <R> Optional<R> ofFollower(
      FollowerDoor follower, LedgerId ledger, FollowerRead kind, NodeRead<R> read) {
    try {
      long frame =
          kind == FollowerRead.UP_TO_DATE
              ? routes.of(ledger).ask(new LedgerRead.NewestFrame())
              : NO_FRAME;
      return Optional.of(follower.ask(read, frame));
    } catch (RequestRejectedException _) {
      return Optional.empty();
    }
  }
}
