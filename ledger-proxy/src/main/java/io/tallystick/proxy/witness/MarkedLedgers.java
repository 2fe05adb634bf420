package io.tallystick.proxy.witness;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.OutsideRead;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// How many ledgers are marked read-only, for a meter. All owners are asked, one question at a
/// time, and an owner that stands still is not waited for by whoever reads meters. Thread-safe.
final class MarkedLedgers {
  private final LedgerNode node;
  private final Duration waitMax;
  private @Nullable CompletableFuture<Double> asked;

  /// @param waitMax for the answer
  MarkedLedgers(LedgerNode node, Duration waitMax) {
    this.node = node;
    this.waitMax = waitMax;
  }

  /// NaN while that is not known.
  double count() {
    try {
      return asked().get(waitMax.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException _) {
      return Double.NaN;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Double.NaN;
    }
  }

  private synchronized CompletableFuture<Double> asked() {
    CompletableFuture<Double> now = asked;
    if (now == null || now.isDone()) {
      now = CompletableFuture.supplyAsync(this::ask, Thread.ofVirtual().name("marked-")::start);
      asked = now;
    }
    return now;
  }

  private double ask() {
    try {
      return node.ask(new OutsideRead.MarkedCount());
    } catch (RequestRejectedException _) {
      return Double.NaN;
    }
  }
}
