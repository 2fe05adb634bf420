package io.tallystick.audit.statement;

import io.tallystick.journal.JournalRef;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The content of a log's time journals, as far as the log was audited.
///
/// @param newest time journal
/// @param heads those that the next time journal may name, ascending
/// @param knownFrom the size from which on they are all
public record TimeState(
    Optional<JournalRef> newest,
    List<TimeHeads.Head> heads,
    long knownFrom,
    long judged,
    long unjudged,
    Windows windows) {
  /// A time that nothing proves.
  public static final long UNKNOWN = -1;

  /// The state of a log without time journals.
  static final TimeState NONE = new TimeState(Optional.empty(), List.of(), 0, 0, 0, Windows.NONE);

  public TimeState {
    heads = List.copyOf(heads);
  }

  /// The state of a log without time journals, audited up to `head` by an auditor that knew none.
  static TimeState behind(AuditStatement.Head head, long journals) {
    List<Segment> open = journals == 0 ? List.of() : List.of(new Segment(2, 0, UNKNOWN));
    return new TimeState(
        Optional.empty(),
        List.of(new TimeHeads.Head(head.size(), head.root(), journals)),
        head.size(),
        0,
        0,
        new Windows(journals, UNKNOWN, UNKNOWN, 0, UNKNOWN, open, Map.of()));
  }

  /// Journals that no head covers yet, up to the next segment.
  ///
  /// @param firstJsn not above its first journal's jsn
  /// @param firstJournal how many journals stand before it
  /// @param notBeforeMs since when they were committed; {@link #UNKNOWN} if nothing proves it
  public record Segment(long firstJsn, long firstJournal, long notBeforeMs) {}

  /// Between which times the journals were committed.
  ///
  /// @param journals seen so far
  /// @param earliestMs the earliest genTime; {@link #UNKNOWN} also if it was forgotten
  /// @param latestMs the latest genTime
  /// @param unbounded journals covered, but not proven to be later than anything
  /// @param largestMs of the windows
  /// @param open ascending
  /// @param windows how many journals have a window of each of {@link WindowSizes}
  public record Windows(
      long journals,
      long earliestMs,
      long latestMs,
      long unbounded,
      long largestMs,
      List<Segment> open,
      Map<Integer, Long> windows) {
    static final Windows NONE = new Windows(0, UNKNOWN, UNKNOWN, 0, UNKNOWN, List.of(), Map.of());

    public Windows {
      open = List.copyOf(open);
      windows = Map.copyOf(windows);
    }
  }
}
