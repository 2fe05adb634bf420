package io.tallystick.master.anchor;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.Done;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeChange;
import io.tallystick.node.OutsideRead;
import io.tallystick.node.StampedHead;
import io.tallystick.node.TimeRead;
import io.tallystick.node.TimeRefusal;
import io.tallystick.note.Checkpoint;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Times that another process asks for: the leading master of a cluster. Thread-safe.
public final class AwaitedTimes implements TimeSource {
  private static final String MASTER = "master";
  private static final Duration LOOK_FIRST = Duration.ofMillis(50);
  private static final Duration LOOK_MAX = Duration.ofMillis(500);

  /// A shard that changes hands forgets what is wanted.
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private final LedgerNode node;
  private final Duration waitMax;

  /// @param waitMax after which no time has come
  public AwaitedTimes(LedgerNode node, Duration waitMax) {
    this.node = node;
    this.waitMax = waitMax;
  }

  @Override
  public boolean takes(LedgerId ledger) {
    return true;
  }

  @Override
  public StampedHead stamp(StrandId strand, Checkpoint head)
      throws NoTimeException, RequestRejectedException, InterruptedException {
    long beganNanos = System.nanoTime();
    long saidNanos = beganNanos;
    long size = head.size().value(); // a ledger that is written soon has more than was stamped
    want(strand);
    Duration look = LOOK_FIRST;
    while (System.nanoTime() - beganNanos < waitMax.toNanos()) {
      Thread.sleep(look);
      Optional<StampedHead> stamped = node.ask(new TimeRead.Stamped(strand, size));
      if (stamped.isPresent()) {
        return stamped.get();
      }
      Optional<TimeRefusal> why = node.ask(new OutsideRead.WhyNoTime(strand));
      if (why.isPresent()) {
        throw noTime(why.get());
      }
      if (System.nanoTime() - saidNanos > AGAIN.toNanos()) {
        saidNanos = System.nanoTime();
        want(strand);
      }
      look = look.multipliedBy(2).compareTo(LOOK_MAX) < 0 ? look.multipliedBy(2) : LOOK_MAX;
    }
    throw failed("no_answer");
  }

  private void want(StrandId strand) throws RequestRejectedException {
    Done _ = node.change(new NodeChange.WantTime(strand));
  }

  private static NoTimeException noTime(TimeRefusal why) {
    return why.code() == RejectionCode.TIME_NOT_STAMPED
        ? failed(why.detail())
        : NoTimeException.of(why.toException());
  }

  private static NoTimeException failed(String code) {
    return new NoTimeException(List.of(new TimeFailure(MASTER, code)));
  }
}
