package io.tallystick.server.shard;

/// Runs tasks after a pause, on threads that serve nothing else.
@FunctionalInterface
public interface Later {
  /// @throws java.util.concurrent.RejectedExecutionException if it takes no more tasks
  void after(long millis, Runnable task);
}
