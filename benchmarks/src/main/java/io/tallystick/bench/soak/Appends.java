package io.tallystick.bench.soak;

/// One way to send requests. Every attempt ends in bounded time; not thread-safe.
interface Appends extends AutoCloseable {
  Answer append(SoakRequest request) throws InterruptedException;

  @Override
  void close();
}
