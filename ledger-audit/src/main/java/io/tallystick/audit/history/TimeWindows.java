package io.tallystick.audit.history;

import io.tallystick.audit.finding.AnchoredTime;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.options.TimeOptions;
import io.tallystick.audit.options.TrustedTLedger;
import io.tallystick.audit.statement.TimeState;
import io.tallystick.audit.statement.WindowSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Between which two times each journal was committed, as far as tokens prove it: not before the
/// latest genTime of a token at or below the journal, not after the genTime of the first token
/// about a head that covers it. Not thread-safe.
public final class TimeWindows {
  private final List<TimeState.Segment> open = new ArrayList<>();
  private final TreeMap<Integer, Long> windows = new TreeMap<>();
  private long journals;
  private long earliestMs = TimeState.UNKNOWN;
  private long latestMs = TimeState.UNKNOWN;
  private long unbounded;
  private long largestMs = TimeState.UNKNOWN;

  /// Told of each window that a token closes.
  @FunctionalInterface
  interface Listener {
    /// @param windowMs {@link TimeState#UNKNOWN} if nothing proves when it began
    void closed(long firstJsn, long windowMs) throws FaultException;
  }

  /// A journal was reached.
  void journal(long jsn) {
    if (open.isEmpty()) {
      open.add(new TimeState.Segment(jsn, journals, latestMs));
    }
    journals++;
  }

  /// How many were reached.
  long journals() {
    return journals;
  }

  /// The part of the log that a time journal is about, up to the size of the head it names.
  ///
  /// @param size of the head
  /// @param journals below `size`
  record Covered(long size, long journals) {}

  /// A proof that stands in the journal last reached. A token proves both times at once, its
  /// genTime; an entry of a T-Ledger proves those of the tokens around it.
  ///
  /// @param notBeforeMs of what comes after; {@link TimeState#UNKNOWN} if it is not proven
  /// @param notAfterMs of what is covered; {@link TimeState#UNKNOWN} if it is not proven
  void anchor(long jsn, long notBeforeMs, long notAfterMs, Covered covered, Listener listener)
      throws FaultException {
    if (notAfterMs != TimeState.UNKNOWN) {
      closeAll(notAfterMs, covered, listener);
      earliest(notAfterMs);
    }
    if (notBeforeMs != TimeState.UNKNOWN) {
      earliest(notBeforeMs);
      latestMs = Math.max(latestMs, notBeforeMs);
    }
    // Journals of which nothing later is proven belong to the segment before.
    if (open.isEmpty() || open.getLast().notBeforeMs() != latestMs) {
      open.add(new TimeState.Segment(jsn, journals - 1, latestMs));
    }
  }

  /// Forgotten stays forgotten.
  private void earliest(long timeMs) {
    if (earliestMs != TimeState.UNKNOWN) {
      earliestMs = Math.min(earliestMs, timeMs);
    } else if (latestMs == TimeState.UNKNOWN) {
      earliestMs = timeMs;
    }
  }

  private void closeAll(long notAfterMs, Covered covered, Listener listener) throws FaultException {
    List<TimeState.Segment> before = List.copyOf(open);
    open.clear();
    long own = journals - 1;
    for (int i = 0; i < before.size(); i++) {
      TimeState.Segment segment = before.get(i);
      long end = i + 1 < before.size() ? before.get(i + 1).firstJournal() : own;
      long count = Math.min(end, covered.journals) - segment.firstJournal();
      close(segment, count, notAfterMs, listener);
      if (end > covered.journals) {
        boolean whole = segment.firstJournal() >= covered.journals;
        open.add(
            whole
                ? segment
                : new TimeState.Segment(covered.size, covered.journals, segment.notBeforeMs()));
      }
    }
  }

  private void close(TimeState.Segment segment, long count, long notAfterMs, Listener listener)
      throws FaultException {
    if (count <= 0) {
      return;
    }
    if (segment.notBeforeMs() == TimeState.UNKNOWN) {
      unbounded += count;
      listener.closed(segment.firstJsn(), TimeState.UNKNOWN);
      return;
    }
    // Two clocks that differ can tell the times in the wrong order.
    long windowMs = Math.max(0, notAfterMs - segment.notBeforeMs());
    largestMs = Math.max(largestMs, windowMs);
    windows.merge(WindowSizes.bucket(windowMs), count, Long::sum);
    listener.closed(segment.firstJsn(), windowMs);
  }

  /// @param timeMs of the last leaf, by the service's clock
  AnchoredTime report(TimeOptions options, long judged, long unjudged, long timeMs) {
    long bounded = windows.values().stream().mapToLong(Long::longValue).sum();
    long tail = open.isEmpty() ? 0 : journals - open.getFirst().firstJournal();
    long since = open.isEmpty() ? TimeState.UNKNOWN : open.getFirst().notBeforeMs();
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
        tail == 0 || since == TimeState.UNKNOWN ? TimeState.UNKNOWN : Math.max(0, timeMs - since),
        options.tLedgers().stream().map(TimeWindows::told).toList());
  }

  private static AnchoredTime.TLedger told(TrustedTLedger trusted) {
    return new AnchoredTime.TLedger(trusted.id().hex(), trusted.size());
  }

  /// The report on a log of which no leaf was read.
  public static AnchoredTime none(TimeOptions options) {
    return new TimeWindows().report(options, 0, 0, 0);
  }

  /// Where the tail begins.
  long tailJsn() {
    return open.isEmpty() ? 0 : open.getFirst().firstJsn();
  }

  private long median(long bounded) {
    long left = (bounded + 1) / 2;
    for (Map.Entry<Integer, Long> entry : windows.entrySet()) {
      left -= entry.getValue();
      if (left <= 0) {
        return Math.min(largestMs, WindowSizes.largestOf(entry.getKey()));
      }
    }
    return TimeState.UNKNOWN;
  }

  TimeState.Windows state() {
    return new TimeState.Windows(
        journals, earliestMs, latestMs, unbounded, largestMs, open, windows);
  }

  void restore(TimeState.Windows state) {
    journals = state.journals();
    earliestMs = state.earliestMs();
    latestMs = state.latestMs();
    unbounded = state.unbounded();
    largestMs = state.largestMs();
    open.addAll(state.open());
    windows.putAll(state.windows());
  }
}
