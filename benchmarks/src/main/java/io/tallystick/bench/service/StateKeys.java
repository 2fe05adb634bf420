package io.tallystick.bench.service;

import io.tallystick.model.Bytes;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// Random keys of 32 bytes, which follow from their numbers. Thread-safe.
final class StateKeys {
  private static final int KEY_BYTES = 32;
  private static final long GAMMA = 0x9e3779b97f4a7c15L;

  private StateKeys() {}

  static Bytes key(long number) {
    byte[] key = new byte[KEY_BYTES];
    new SplittableRandom(number * GAMMA).nextBytes(key);
    return Bytes.wrap(key);
  }

  /// Key after key, from number 0 on.
  static Supplier<Bytes> ascending() {
    AtomicLong next = new AtomicLong();
    return () -> key(next.getAndIncrement());
  }

  /// Any of the first `count`.
  static Supplier<Bytes> among(long count) {
    return () -> key(ThreadLocalRandom.current().nextLong(count));
  }

  /// No two are alike, as good as surely.
  static Supplier<Bytes> random() {
    return () -> {
      byte[] key = new byte[KEY_BYTES];
      ThreadLocalRandom.current().nextBytes(key);
      return Bytes.wrap(key);
    };
  }
}
