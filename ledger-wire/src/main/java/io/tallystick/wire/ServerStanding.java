package io.tallystick.wire;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.NodeHealth;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// How a server is, as it last said: asked again and again, so that nobody waits for it.
/// Thread-safe.
final class ServerStanding implements AutoCloseable {
  /// Without a word for so many polls nobody knows how it is.
  private static final int SILENT_POLLS = 12;

  private final Asking asking;
  private final long silentNanos;
  private final AtomicLong lastMs = new AtomicLong();
  private final ScheduledExecutorService polls =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("wire-status").daemon().factory());
  private volatile Heard heard;

  /// Asks the server.
  interface Asking {
    WireMessage.Status ask() throws RequestRejectedException;
  }

  /// The server's clocks are those of some moment between the two.
  private record Heard(WireMessage.Status status, long askedNanos, long answeredNanos) {
    static Heard now(WireMessage.Status status, long askedNanos) {
      return new Heard(status, askedNanos, System.nanoTime());
    }
  }

  ServerStanding(Asking asking, WireMessage.Status first, long askedNanos, Duration poll) {
    this.asking = asking;
    this.heard = Heard.now(first, askedNanos);
    this.silentNanos = poll.toNanos() * SILENT_POLLS;
    var _ =
        polls.scheduleWithFixedDelay(
            this::poll, poll.toMillis(), poll.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void poll() {
    long askedNanos = System.nanoTime();
    try {
      heard = Heard.now(asking.ask(), askedNanos);
    } catch (RequestRejectedException | RuntimeException _) {
      // Its silence is what health tells.
    }
  }

  WireMessage.Status newest() {
    return heard.status;
  }

  /// Since the answer came: as late as the server may have read its clocks, so that they are never
  /// ahead here.
  private static long sinceMs(Heard then) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - then.answeredNanos);
  }

  /// Never goes back.
  long timeMs() {
    Heard now = heard;
    return lastMs.accumulateAndGet(now.status.timeMs() + sinceMs(now), Math::max);
  }

  long clockMs() {
    Heard now = heard;
    return now.status.clockMs() + sinceMs(now);
  }

  NodeHealth health() {
    Heard now = heard;
    long silent = System.nanoTime() - now.askedNanos;
    return silent < silentNanos
        ? now.status.health()
        : new NodeHealth(
            false,
            false,
            String.format(
                Locale.ROOT,
                "the server has been silent for %d ms",
                TimeUnit.NANOSECONDS.toMillis(silent)));
  }

  @Override
  public void close() {
    polls.shutdownNow();
  }
}
