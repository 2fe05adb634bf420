package io.tallystick.storage.stream;

import io.tallystick.storage.disk.DiskFullException;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// A frame, or the start of a segment, between its owner and the I/O thread.
final class InFlightFrame implements PendingFrame {
  private final StreamPosition position;
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile @Nullable Throwable failure;

  InFlightFrame(StreamPosition position) {
    this.position = position;
  }

  @Override
  public StreamPosition position() {
    return position;
  }

  @Override
  public boolean isDone() {
    return done.getCount() == 0;
  }

  @Override
  public void awaitDurable() throws IOException {
    awaitDone();
    Throwable cause = failure;
    if (cause instanceof DiskFullException) {
      throw new DiskFullException(String.valueOf(cause.getMessage()), cause);
    }
    if (cause != null) {
      throw new IOException(
          String.format(Locale.ROOT, "frame %d is not durable", position.number()), cause);
    }
  }

  /// Waits for either outcome. An interrupt is kept for later: the owner cannot go on before it
  /// knows whether the frame is on the disk.
  void awaitDone() {
    boolean interrupted = false;
    while (true) {
      try {
        done.await();
        break;
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  void succeed() {
    done.countDown();
  }

  void fail(Throwable cause) {
    failure = cause;
    done.countDown();
  }
}
