package io.tallystick.cluster.process;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes what this process runs when the process is told to stop.
final class Stopping {
  private static final Logger LOG = LoggerFactory.getLogger(Stopping.class);
  private static final long LOOK_MILLIS = 500;

  private final AutoCloseable running;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean asked;

  private Stopping(AutoCloseable running) {
    this.running = running;
  }

  /// From now on the process ends only once `running` is closed.
  static Stopping of(AutoCloseable running) {
    Stopping stopping = new Stopping(running);
    try {
      Runtime.getRuntime()
          .addShutdownHook(Thread.ofPlatform().name("stop").unstarted(stopping::stop));
    } catch (IllegalStateException _) {
      stopping.stop(); // asked to stop before it ran
    }
    return stopping;
  }

  private void stop() {
    asked = true;
    try {
      running.close();
    } catch (Exception e) {
      LOG.error("closing failed: {}", e.toString(), e);
    } finally {
      closed.countDown();
    }
  }

  /// Waits for the end.
  ///
  /// @param runs whether what runs has not ended itself
  /// @return false if it has, and is closed
  boolean await(BooleanSupplier runs) throws InterruptedException {
    while (!closed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
      if (!asked && !runs.getAsBoolean()) {
        stop();
        return false;
      }
    }
    return true;
  }
}
