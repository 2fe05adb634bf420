package io.tallystick.audit.history;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.journal.Leaf;
import io.tallystick.model.Digest;
import io.tallystick.removal.Snapshot;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/// Compares the snapshots that purges name with those of the log, which is read again for them. A
/// purge that ends below what the log still has is not judged. Used once. Source: `docs/audit.md`.
public final class PurgeJudge {
  private final RemovalReplay removals;
  private final Findings findings;

  /// The results of reading the log again.
  ///
  /// @param firstKept the lowest leaf that it has
  /// @param start with what it begins, if that is not genesis
  /// @param leafHashes of the last leaf before each end, by end; not of ends below firstKept
  /// @param made by end; a block may end there or not
  public record Read(
      long firstKept,
      Optional<Snapshot> start,
      Map<Long, Digest> leafHashes,
      Map<Long, ReplayedSnapshotBuilder.Made> made) {
    public Read {
      leafHashes = Map.copyOf(leafHashes);
      made = Map.copyOf(made);
    }

    /// @param ends that snapshots were made at
    public static Read of(RemovalReplay read, long firstKept, NavigableSet<Long> ends)
        throws IOException {
      Map<Long, Digest> hashes = new HashMap<>();
      for (long end : ends.tailSet(firstKept, true)) {
        Optional<Snapshot> start = read.startAt(end);
        hashes.put(end, start.isPresent() ? Leaf.hash(start.get().seal()) : read.leafHash(end - 1));
      }
      return new Read(firstKept, read.startAt(firstKept), hashes, read.made());
    }

    private Optional<Snapshot> snapshot(PurgeReplay.Seen purge) {
      long end = purge.purge().firstKept();
      return start
          .filter(each -> each.firstKept().value() == end)
          .or(() -> Optional.ofNullable(made.get(end)).map(each -> each.of(purge.lowest())));
    }
  }

  /// Reads the log again.
  public interface Reader {
    /// @param ends where to make snapshots, at least one
    Read upTo(NavigableSet<Long> ends)
        throws FaultException, IOException, AuditLimitException, InterruptedException;
  }

  /// @param removals of the run, which knows the purges
  public PurgeJudge(RemovalReplay removals, Findings findings) {
    this.removals = removals;
    this.findings = findings;
  }

  /// @throws FaultException if the log is not the same when it is read again
  public void judge(Reader log)
      throws FaultException, IOException, AuditLimitException, InterruptedException {
    List<PurgeReplay.Seen> open = removals.purges().unjudged();
    NavigableSet<Long> ends = new TreeSet<>();
    open.stream()
        .map(each -> each.purge().firstKept())
        .filter(end -> removals.startAt(end).isEmpty())
        .forEach(ends::add);
    Read read = ends.isEmpty() ? known() : log.upTo(ends);
    for (Map.Entry<Long, Digest> each : read.leafHashes.entrySet()) {
      checkSame(each.getKey() - 1, each.getValue());
    }
    for (PurgeReplay.Seen each : open) {
      if (each.purge().firstKept() < read.firstKept) {
        continue;
      }
      try {
        removals.purges().judge(each, read.snapshot(each));
      } catch (FaultException e) {
        findings.add(e.fault());
      }
    }
  }

  /// Nothing has to be read again.
  private Read known() {
    long start = removals.purges().start();
    return new Read(start, removals.startAt(start), Map.of(), Map.of());
  }

  /// A leaf in which all before it have left their root. One that the run did not read is bound by
  /// the snapshot alone.
  private void checkSame(long jsn, Digest again) throws FaultException, IOException {
    Digest first = removals.leafHash(jsn);
    if (!first.equals(Digest.ZERO) && !first.equals(again)) {
      throw new FaultException(
          jsn,
          FaultKind.TRUSTED_HEAD_CONTRADICTED,
          String.format(
              Locale.ROOT, "leaf %d had hash %s, read again it has %s", jsn, first, again));
    }
  }
}
