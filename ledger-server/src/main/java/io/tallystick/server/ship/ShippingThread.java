package io.tallystick.server.ship;

import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives a {@link SavepointShipper} its turns as long as this process owns the shard.
public final class ShippingThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShippingThread.class);
  private static final long TURN_MILLIS = 100;
  private static final long AGAIN_MILLIS = 5_000;
  private static final long LAST_MILLIS = 5_000;

  private final StreamId shard;
  private final SavepointShipper shipper;
  private final Thread thread;
  private final CountDownLatch end = new CountDownLatch(1); // an interrupt would close files
  private volatile boolean shipsLast;

  private ShippingThread(StreamId shard, SavepointShipper shipper) {
    this.shard = shard;
    this.shipper = shipper;
    this.thread = Thread.ofPlatform().name("shard-" + shard.shard() + "-ship").unstarted(this::run);
  }

  /// @param shipper closed with this
  public static ShippingThread start(StreamId shard, SavepointShipper shipper) {
    ShippingThread started = new ShippingThread(shard, shipper);
    started.thread.start();
    return started;
  }

  private void run() {
    try (shipper) {
      while (!end.await(turn() ? TURN_MILLIS : AGAIN_MILLIS, TimeUnit.MILLISECONDS)) {}
      if (shipsLast) {
        last();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean turn() {
    try {
      if (shipper.turn()) {
        LOG.info("shard {}: a savepoint was shipped", shard.shard());
      }
      return true;
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      shipper.counts().fail();
      LOG.warn("shard {}: no savepoint was shipped: {}", shard.shard(), e.toString());
      return false;
    }
  }

  private void last() throws InterruptedException {
    try {
      if (shipper.last(LAST_MILLIS)) {
        LOG.info("shard {}: a last savepoint was shipped", shard.shard());
      }
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      LOG.warn("shard {}: no last savepoint was shipped: {}", shard.shard(), e.toString());
    }
  }

  /// Has what came since the last savepoint shipped before the end, if that takes seconds.
  public void shipLast() {
    shipsLast = true;
  }

  /// Waits for the end of the turn.
  @Override
  public void close() {
    end.countDown();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
