package io.tallystick.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Between which two times each journal was committed, as far as tokens prove it: not before the
/// latest genTime of a token at or below the journal, not after the genTime of the first token
/// about a head that covers it. Not thread-safe.
final class TimeWindows {
  static final long UNKNOWN = -1;

  /// Windows below are counted exactly, above to one part in 512.
  private static final int EXACT = 1_024;

  private static final int STEPS_LOG = 9;
  private static final int STEPS = 1 << STEPS_LOG;

  /// More than any window needs.
  static final int BUCKETS = EXACT + Long.SIZE * STEPS;

  private final List<Segment> open = new ArrayList<>();
  private final TreeMap<Integer, Long> windows = new TreeMap<>();
  private long journals;
  private long earliestMs = UNKNOWN;
  private long latestMs = UNKNOWN;
  private long unbounded;
  private long largestMs = UNKNOWN;

  /// Journals that no head covers yet, up to the next segment.
  ///
  /// @param firstJsn not above its first journal's jsn
  /// @param firstJournal how many journals stand before it
  /// @param notBeforeMs since when they were committed; {@link #UNKNOWN} if nothing proves it
  record Segment(long firstJsn, long firstJournal, long notBeforeMs) {}

  /// What is to be kept of it.
  ///
  /// @param journals seen so far
  /// @param earliestMs the earliest genTime; {@link #UNKNOWN} also if it was forgotten
  /// @param latestMs the latest genTime
  /// @param unbounded journals covered, but not proven to be later than anything
  /// @param largestMs of the windows
  /// @param open ascending
  /// @param windows how many journals have a window of each size
  record State(
      long journals,
      long earliestMs,
      long latestMs,
      long unbounded,
      long largestMs,
      List<Segment> open,
      Map<Integer, Long> windows) {
    static final State NONE = new State(0, UNKNOWN, UNKNOWN, 0, UNKNOWN, List.of(), Map.of());

    State {
      open = List.copyOf(open);
      windows = Map.copyOf(windows);
    }
  }

  /// Told of each window that a token closes.
  @FunctionalInterface
  interface Listener {
    /// @param windowMs {@link #UNKNOWN} if nothing proves when it began
    void closed(long firstJsn, long windowMs) throws FaultException;
  }

  /// A journal was reached.
  void journal(long jsn) {
    if (open.isEmpty()) {
      open.add(new Segment(jsn, journals, latestMs));
    }
    journals++;
  }

  /// How many were reached.
  long journals() {
    return journals;
  }

  /// What a time journal is about.
  ///
  /// @param size of the head
  /// @param journals below `size`
  record Covered(long size, long journals) {}

  /// A proof that stands in the journal last reached. A token proves both times at once, its
  /// genTime; an entry of a T-Ledger proves those of the tokens around it.
  ///
  /// @param notBeforeMs of what comes after; {@link #UNKNOWN} if it is not proven
  /// @param notAfterMs of what is covered; {@link #UNKNOWN} if it is not proven
  void anchor(long jsn, long notBeforeMs, long notAfterMs, Covered covered, Listener listener)
      throws FaultException {
    if (notAfterMs != UNKNOWN) {
      closeAll(notAfterMs, covered, listener);
      earliest(notAfterMs);
    }
    if (notBeforeMs != UNKNOWN) {
      earliest(notBeforeMs);
      latestMs = Math.max(latestMs, notBeforeMs);
    }
    // What nothing later is proven of belongs to the segment before.
    if (open.isEmpty() || open.getLast().notBeforeMs != latestMs) {
      open.add(new Segment(jsn, journals - 1, latestMs));
    }
  }

  /// Forgotten stays forgotten.
  private void earliest(long timeMs) {
    if (earliestMs != UNKNOWN) {
      earliestMs = Math.min(earliestMs, timeMs);
    } else if (latestMs == UNKNOWN) {
      earliestMs = timeMs;
    }
  }

  private void closeAll(long notAfterMs, Covered covered, Listener listener) throws FaultException {
    List<Segment> before = List.copyOf(open);
    open.clear();
    long own = journals - 1;
    for (int i = 0; i < before.size(); i++) {
      Segment segment = before.get(i);
      long end = i + 1 < before.size() ? before.get(i + 1).firstJournal : own;
      long count = Math.min(end, covered.journals) - segment.firstJournal;
      close(segment, count, notAfterMs, listener);
      if (end > covered.journals) {
        boolean whole = segment.firstJournal >= covered.journals;
        open.add(
            whole ? segment : new Segment(covered.size, covered.journals, segment.notBeforeMs));
      }
    }
  }

  private void close(Segment segment, long count, long notAfterMs, Listener listener)
      throws FaultException {
    if (count <= 0) {
      return;
    }
    if (segment.notBeforeMs == UNKNOWN) {
      unbounded += count;
      listener.closed(segment.firstJsn, UNKNOWN);
      return;
    }
    // Two clocks that differ can tell the times in the wrong order.
    long windowMs = Math.max(0, notAfterMs - segment.notBeforeMs);
    largestMs = Math.max(largestMs, windowMs);
    windows.merge(bucket(windowMs), count, Long::sum);
    listener.closed(segment.firstJsn, windowMs);
  }

  static int bucket(long windowMs) {
    if (windowMs < EXACT) {
      return (int) windowMs;
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(windowMs) - STEPS_LOG;
    return EXACT + (shift - 1) * STEPS + (int) (windowMs >>> shift) - STEPS;
  }

  /// The largest window that is counted with these.
  static long largestOf(int bucket) {
    if (bucket < EXACT) {
      return bucket;
    }
    int shift = (bucket - EXACT) / STEPS + 1;
    long step = (long) (bucket - EXACT) % STEPS + STEPS;
    return ((step + 1) << shift) - 1;
  }

  /// @param timeMs of the last leaf, by the service's clock
  AnchoredTime report(TimeOptions options, long judged, long unjudged, long timeMs) {
    long bounded = windows.values().stream().mapToLong(Long::longValue).sum();
    long tail = open.isEmpty() ? 0 : journals - open.getFirst().firstJournal;
    long since = open.isEmpty() ? UNKNOWN : open.getFirst().notBeforeMs;
    return new AnchoredTime(
        options.tokens().isPresent(),
        judged,
        unjudged,
        earliestMs,
        latestMs,
        bounded,
        largestMs,
        median(bounded),
        unbounded,
        tail,
        tail == 0 || since == UNKNOWN ? UNKNOWN : Math.max(0, timeMs - since),
        options.tLedgers().stream().map(AnchoredTime.TLedger::of).toList());
  }

  /// Where the tail begins.
  long tailJsn() {
    return open.isEmpty() ? 0 : open.getFirst().firstJsn;
  }

  private long median(long bounded) {
    long left = (bounded + 1) / 2;
    for (Map.Entry<Integer, Long> entry : windows.entrySet()) {
      left -= entry.getValue();
      if (left <= 0) {
        return Math.min(largestMs, largestOf(entry.getKey()));
      }
    }
    return UNKNOWN;
  }

  State state() {
    return new State(journals, earliestMs, latestMs, unbounded, largestMs, open, windows);
  }

  void restore(State state) {
    journals = state.journals;
    earliestMs = state.earliestMs;
    latestMs = state.latestMs;
    unbounded = state.unbounded;
    largestMs = state.largestMs;
    open.addAll(state.open);
    windows.putAll(state.windows);
  }
}
