package io.tallystick.server.seal;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.ProvenTime;
import io.tallystick.server.saved.TimeRows;
import io.tallystick.storage.meta.MetaBatch;
import java.io.IOException;
import java.util.Comparator;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/// The time journals of a strand by proven time: the rows of the last savepoint, and before them
/// those that wait for the next. One owner adds and saves; any thread reads.
public final class StrandTimes {
  private static final Comparator<ProvenTime> LATEST_FIRST =
      Comparator.comparingLong(ProvenTime::provenMs).thenComparingLong(ProvenTime::jsn).reversed();

  private final StrandId strand;
  private final TimeRows saved;
  private final NavigableSet<ProvenTime> unsaved = new ConcurrentSkipListSet<>(LATEST_FIRST);
  private volatile @Nullable RequestRejectedException lacking;

  StrandTimes(StrandId strand, TimeRows saved) {
    this.strand = strand;
    this.saved = saved;
  }

  /// Of those below `size` that are not after `timeMs` the latest; of equal times the newest.
  ///
  /// @param size of a sealed head
  /// @throws RequestRejectedException `DAMAGED`, or why rows are missing
  public Optional<ProvenTime> lastAt(long timeMs, long size)
      throws IOException, RequestRejectedException {
    RequestRejectedException why = lacking;
    if (why != null) {
      throw new RequestRejectedException(why.code(), String.valueOf(why.getMessage()), why);
    }
    // In this order: a savepoint forgets only what can be read from its rows.
    Optional<ProvenTime> waiting =
        unsaved.tailSet(new ProvenTime(Long.MAX_VALUE, timeMs)).stream()
            .filter(each -> each.jsn() < size)
            .findFirst();
    Optional<ProvenTime> row = saved.lastAt(strand, timeMs);
    if (waiting.isEmpty() || row.isEmpty()) {
      return waiting.or(() -> row);
    }
    return LATEST_FIRST.compare(waiting.get(), row.get()) < 0 ? waiting : row;
  }

  /// Rows of this strand are missing, because journals below the savepoint cannot be read.
  public void lack(RequestRejectedException why) {
    lacking = why;
  }

  void sealed(ProvenTime time) {
    unsaved.add(time);
  }

  /// No row without those of all older journals: the next opening looks for those again.
  void savepoint(MetaBatch batch) {
    if (lacking != null) {
      return;
    }
    unsaved.forEach(each -> TimeRows.put(batch, strand, each));
  }

  /// The batch of the last savepoint was written.
  void saved() {
    unsaved.clear();
  }
}
