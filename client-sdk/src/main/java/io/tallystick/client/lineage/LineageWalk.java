package io.tallystick.client.lineage;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.head.SignedHead;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.VerifiedLineage;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A clue's journals page by page, under one head, whatever is appended meanwhile. Every page is
/// verified before it is given: it begins where the one before ended, and the first where the walk
/// was to begin; so all pages together are all journals of the range and no others. A page at a
/// time is in memory.
///
/// ```
/// LineageWalk walk = ledger.walkLineage(clue, LineageRange.backwards());
/// for (List<LineageEntry> page = walk.next(); !page.isEmpty(); page = walk.next()) { … }
/// ```
///
/// One thread's.
public final class LineageWalk {
  private final LineageReader reader;
  private final Digest clueId;
  private final LineageRange range;
  private final VerifiedBlock block;
  private final ClueState state;
  private final long firstIndex;
  private @Nullable VerifiedLineage waiting;
  private @Nullable VerifiedLineage given;

  /// @param first run to give; null if there is none
  LineageWalk(
      LineageReader reader,
      Digest clueId,
      LineageRange range,
      VerifiedBlock block,
      ClueState state,
      @Nullable VerifiedLineage first) {
    this.reader = reader;
    this.clueId = clueId;
    this.range = range;
    this.block = block;
    this.state = state;
    this.firstIndex = first == null ? state.count() : first.first();
    this.waiting = first;
  }

  /// All pages are proven under it.
  public SignedHead head() {
    return block.head();
  }

  /// The block of that head.
  public VerifiedBlock block() {
    return block;
  }

  /// The state of the clue under that head; its count is that of all journals, wherever the walk
  /// begins.
  public ClueState state() {
    return state;
  }

  /// The index among all journals of the clue, from 0, of the first one that a forward walk gives;
  /// so many of them lie before. That a purge removed those is the service's word.
  public long firstIndex() {
    return firstIndex;
  }

  /// The next journals in the walk's direction; none at its end.
  ///
  /// @throws RequestRefusedException `expired` if the service does not have the head at hand any
  ///   more: begin a new walk, from the last jsn given if you like
  public List<LineageEntry> next() throws TallyException {
    VerifiedLineage page = waiting;
    waiting = null;
    if (page == null) {
      VerifiedLineage before = given;
      if (before == null || isLast(before)) {
        return List.of();
      }
      page = following(before);
    }
    given = page;
    return range.descending() ? page.entries().reversed() : page.entries();
  }

  private boolean isLast(VerifiedLineage run) {
    return range.descending() ? run.first() == 0 : run.reachesLast();
  }

  private VerifiedLineage following(VerifiedLineage before) throws TallyException {
    if (range.descending()) {
      VerifiedLineage page = run(before.first() - 1, range.pageJournals());
      reader.checkFollowed(page, before);
      return page;
    }
    VerifiedLineage page = run(before.end(), range.pageJournals());
    reader.checkFollowed(before, page);
    return page;
  }

  private VerifiedLineage run(long index, int journalsMax) throws TallyException {
    return reader.run(clueId, block.head(), index, range.descending(), journalsMax);
  }

  /// That nothing of the range is left out before `shown`: the journal before it, or behind it when
  /// descending, is out of the range.
  void checkBegin(VerifiedLineage shown) throws TallyException {
    long end = range.descending() ? shown.end() : shown.first();
    List<LineageEntry> entries = shown.entries();
    LineageEntry nearest = range.descending() ? entries.getLast() : entries.getFirst();
    if (isOutside(nearest)) {
      throw reader.missing(
          String.format(
              Locale.ROOT,
              "the walk is to begin at %s, shown first is journal %d",
              range.from(),
              nearest.jsn()));
    }
    checkOutside(end);
  }

  /// That a clue has no journal in the range.
  void checkNoneLeft() throws TallyException {
    checkOutside(range.descending() ? 0 : state.count());
  }

  /// That the range begins at a border between two journals of the clue.
  ///
  /// @param border index of the journal behind it
  private void checkOutside(long border) throws TallyException {
    if (border == (range.descending() ? state.count() : 0)) {
      return;
    }
    if (range.from() == null) {
      throw reader.missing(
          String.format(
              Locale.ROOT, "the walk of %d journals begins at index %d", state.count(), border));
    }
    long index = range.descending() ? border : border - 1;
    VerifiedLineage run;
    try {
      run = run(index, 1);
    } catch (RequestRefusedException e) {
      if (isBeforeAllKept(e)) {
        return;
      }
      throw e;
    }
    boolean shows = run.first() <= index && index < run.end();
    if (!shows || !isOutside(run.entries().get((int) (index - run.first())))) {
      throw reader.missing(
          String.format(
              Locale.ROOT,
              "journal %d of the clue, from %s on: it is left out",
              index,
              range.from()));
    }
  }

  /// Whether a purge removed the journal before the walk, which so begins with the first that is
  /// left.
  private boolean isBeforeAllKept(RequestRefusedException refusal) {
    Jsn from = range.from();
    return !range.descending()
        && from != null
        && refusal.code().equals(RejectionCode.PURGED.wire())
        && refusal.limit().isPresent()
        && refusal.limit().getAsLong() <= from.value();
  }

  private boolean isOutside(LineageEntry entry) {
    Jsn from = range.from();
    return from != null
        && (range.descending() ? entry.jsn() > from.value() : entry.jsn() < from.value());
  }
}
