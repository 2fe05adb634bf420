package io.tallystick.proxy.rest;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

/// Runs what may touch a file on platform threads of its own, while the request's virtual thread
/// waits: a `FileChannel` closes itself when a thread that uses it is interrupted.
final class PlatformThreads implements AutoCloseable {
  private static final int THREADS_MIN = 4;

  /// Work that answers or is refused.
  @FunctionalInterface
  interface Work<T> {
    T run() throws RequestRejectedException;
  }

  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          Math.max(THREADS_MIN, 2 * Runtime.getRuntime().availableProcessors()),
          Thread.ofPlatform().name("rest-", 0).daemon().factory());

  <T> T call(Work<T> work) throws RequestRejectedException {
    Future<T> future;
    try {
      future = threads.submit(work::run);
    } catch (RejectedExecutionException e) {
      throw stopping(e);
    }
    try {
      return future.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RequestRejectedException refusal -> throw refusal;
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw new IllegalStateException(e);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw stopping(e);
    }
  }

  private static RequestRejectedException stopping(Exception cause) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "the service is stopping", cause);
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
