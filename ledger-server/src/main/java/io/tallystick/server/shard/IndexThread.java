package io.tallystick.server.shard;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Runs an index loop on a platform thread and keeps how it ended. If it fails, what still waits is
/// failed too: it is durable, but this process will not seal it.
final class IndexThread {
  private final IndexLoop loop;
  private final IndexBacklog backlog;
  private final Thread thread;
  private volatile @Nullable Throwable failure;

  IndexThread(IndexLoop loop, IndexBacklog backlog, int shard) {
    this.loop = loop;
    this.backlog = backlog;
    this.thread = Thread.ofPlatform().name("shard-" + shard + "-index").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /// Waits for the loop to end. Called by the thread that puts, when it puts no more: what it put
  /// after the loop had failed is failed here.
  ///
  /// @return why it failed; null if it did not
  @Nullable Throwable await() {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e;
    }
    Throwable cause = failure;
    if (cause != null) {
      failWaiting(cause);
    }
    return cause;
  }

  private void run() {
    try {
      loop.run();
    } catch (IOException
        | CorruptStreamException
        | InterruptedException
        | RuntimeException
        | Error e) {
      failure = e;
      backlog.close();
      failWaiting(e);
    }
  }

  private void failWaiting(Throwable cause) {
    try {
      loop.failWaiting(cause);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
