package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/// The bundles of a log one after the other, fetched before they are wanted. Not thread-safe.
public final class BundlePrefetch<T> implements AutoCloseable {
  /// Bundles on their way, if all are as large as the last one: at most so many, and no more than
  /// that many bytes. Far away, that is how many are read in the time an answer takes.
  private static final int AHEAD_MAX = 12;

  private static final long AHEAD_BYTES_MAX = 64 << 20;
  private static final long IDLE_SECONDS_MAX = 10;

  /// Fetches one bundle, on a thread of its own.
  public interface Fetch<T> {
    T fetch(long index, int width) throws IOException, LogFormatException;
  }

  /// Platform threads: a virtual thread that waits for a socket is woken by another thread.
  private final ExecutorService fetchers = fetchers();

  private final Deque<Future<T>> coming = new ArrayDeque<>();
  private final Fetch<T> fetch;
  private final ToLongFunction<T> bytes;
  private final long size;
  private long fetched;
  private int ahead = 1; // until it is known how large they are

  /// @param first leaf of the first bundle that is wanted
  /// @param size of the log, in leaves
  /// @param bytes how large a bundle is
  public BundlePrefetch(long first, long size, Fetch<T> fetch, ToLongFunction<T> bytes) {
    this.fetched = first;
    this.size = size;
    this.fetch = fetch;
    this.bytes = bytes;
  }

  private static ExecutorService fetchers() {
    ThreadPoolExecutor fetchers =
        new ThreadPoolExecutor(
            AHEAD_MAX,
            AHEAD_MAX,
            IDLE_SECONDS_MAX,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("audit-fetch-", 0).factory());
    fetchers.allowCoreThreadTimeOut(true);
    return fetchers;
  }

  /// To be called only while there is one left.
  public T next() throws IOException, LogFormatException {
    while (fetched < size && coming.size() < ahead) {
      long index = fetched / TilePath.WIDTH;
      int width = (int) Math.min(TilePath.WIDTH, size - fetched);
      coming.add(fetchers.submit(() -> fetch.fetch(index, width)));
      fetched += width;
    }
    try {
      T next = coming.remove().get();
      ahead = Math.clamp(AHEAD_BYTES_MAX / Math.max(1, bytes.applyAsLong(next)), 1, AHEAD_MAX);
      return next;
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException failure -> throw failure;
        case LogFormatException failure -> throw failure;
        case null, default -> throw new AssertionError("a fetch failed in an unforeseen way", e);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while reading a log", e);
    }
  }

  /// Fetches that are under way end when their source is closed; nobody waits for them.
  @Override
  public void close() {
    fetchers.shutdownNow();
  }
}
