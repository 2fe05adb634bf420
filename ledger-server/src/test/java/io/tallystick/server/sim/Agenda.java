package io.tallystick.server.sim;

import java.util.Comparator;
import java.util.PriorityQueue;

/// What is to happen, by virtual time; what is due at once happens in the order in which it was
/// planned.
final class Agenda {
  /// Something that happens.
  @FunctionalInterface
  interface Event {
    /// @return whether there was anything to do: a timer whose cause is gone is no step
    boolean happen();
  }

  private record Entry(long atMicros, long order, Event event) {}

  private final PriorityQueue<Entry> entries =
      new PriorityQueue<>(
          Comparator.comparingLong(Entry::atMicros).thenComparingLong(Entry::order));
  private long nowMicros;
  private long planned;

  long nowMicros() {
    return nowMicros;
  }

  void in(long micros, Event event) {
    entries.add(new Entry(nowMicros + micros, planned++, event));
  }

  /// Lets the next thing happen.
  ///
  /// @return whether it was a step
  boolean next() {
    Entry entry = entries.poll();
    if (entry == null) {
      throw new IllegalStateException("nothing is planned");
    }
    nowMicros = entry.atMicros;
    return entry.event.happen();
  }
}
