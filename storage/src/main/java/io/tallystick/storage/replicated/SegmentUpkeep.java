package io.tallystick.storage.replicated;

import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/// What the owner of a stream does to its closed segments: replaces and drops them, deletes what is
/// retired and sweeps away what is left over from earlier owners. Background work, beside the
/// writer and its readers. Thread-safe; one call runs at a time.
public final class SegmentUpkeep {
  private final ReplicatedStreamWriter writer;
  private final SegmentLogs logs;
  private final Coordination coordination;
  private final ReplicatedLogs machines;
  private final ClusterPaths paths;
  private final LongAdder retiredBytes;

  SegmentUpkeep(
      ReplicatedStreamWriter writer,
      SegmentLogs logs,
      Coordination coordination,
      ReplicatedLogs machines,
      ClusterPaths paths,
      LongAdder retiredBytes) {
    this.writer = writer;
    this.logs = logs;
    this.coordination = coordination;
    this.machines = machines;
    this.paths = paths;
    this.retiredBytes = retiredBytes;
  }

  /// Erases frames of a closed segment.
  synchronized void erase(int number, Collection<ErasedFrame> frames)
      throws IOException, CorruptStreamException {
    SegmentReplacement replacement = new SegmentReplacement(writer, logs, segment(number));
    if (replacement.erase(frames)) {
      OwnedStream.Made copy;
      try {
        copy = writer.stream().make();
      } catch (StreamUnavailableException e) {
        throw left(e);
      }
      run(replacement, copy);
    }
  }

  /// Closed segments some of whose entries may have fewer copies than they should.
  public int thinSegments() {
    return (int)
        logs.list().listed().stream()
            .filter(each -> each.record().thin() && each.record().end() != null)
            .count();
  }

  /// A log may be left that nobody knows, unless none was made.
  private IOException left(StreamUnavailableException cause) {
    return cause.getCause() instanceof QuorumUnavailableException ? cause : writer.die(cause);
  }

  private void run(SegmentReplacement replacement, OwnedStream.Made copy)
      throws IOException, CorruptStreamException {
    try {
      replacement.run(copy);
      retiredBytes.add(replacement.bytes());
    } catch (IOException e) {
      throw writer.die(e);
    }
  }

  /// A segment as it is listed now: a change of which nothing was known may have been done since.
  private ListedSegment segment(int number) throws IOException, CorruptStreamException {
    Optional<ListedSegment> listed = logs.table().one(number);
    if (listed.isEmpty()) {
      throw writer.die(
          new StreamUnavailableException(
              logs.table().name(number) + " was dropped by another owner"));
    }
    return listed.get();
  }

  /// Replaces the oldest thin segment, if there are machines enough for all copies.
  ///
  /// @return whether one was replaced
  public synchronized boolean replaceThin() throws IOException, CorruptStreamException {
    if (!writer.stream().hasAllMachines()) {
      return false;
    }
    for (ListedSegment each : logs.list().listed()) {
      if (each.record().thin() && each.record().end() != null) {
        SegmentReplacement replacement =
            new SegmentReplacement(writer, logs, segment(each.number()));
        try {
          run(replacement, writer.stream().make(Quorum.FULL));
        } catch (StreamUnavailableException e) {
          throw left(e);
        }
        return true;
      }
    }
    return false;
  }

  /// Takes the first segments off the list and deletes their logs.
  synchronized void drop(List<ListedSegment> segments) throws IOException {
    try {
      writer.stream().drop(segments);
      logs.list().dropBefore(segments.getLast().number() + 1);
      for (ListedSegment each : segments) {
        logs.retire(each.record().log());
        writer.stream().delete(each.record().log());
        SegmentRecord.End end = each.record().end();
        retiredBytes.add(end == null ? 0 : end.bytes());
      }
    } catch (IOException e) {
      throw writer.die(e);
    }
  }

  /// What stood as retired.
  ///
  /// @param deleted how many logs were deleted
  /// @param refused logs that no owner of this stream can have retired
  public record Retired(int deleted, List<Long> refused) {
    public Retired {
      refused = List.copyOf(refused);
    }
  }

  /// Deletes the logs that an earlier owner, or this one, retired and did not delete. Whoever else
  /// can write in {@link Coordination} could name any log: one that is listed, or was not made for
  /// this stream, is left as it is.
  public synchronized Retired deleteRetired() throws IOException, CorruptStreamException {
    String parent = paths.retired(writer.stream().id());
    List<String> names;
    try {
      names = coordination.children(parent);
    } catch (IOException e) {
      throw new StreamUnavailableException("the retired logs cannot be listed", e);
    }
    if (names.isEmpty()) {
      return new Retired(0, List.of());
    }
    // Read behind those names: what an owner retires it takes off the list in the same change.
    Set<Long> kept = kept();
    List<Long> refused = new ArrayList<>();
    for (String name : names) {
      long log;
      try {
        log = Long.parseUnsignedLong(name, 16);
      } catch (NumberFormatException e) {
        throw new CorruptStreamException(parent, 0, "no log: " + name, e);
      }
      if (kept.contains(log)) {
        refused.add(log);
      } else {
        writer.stream().delete(log);
      }
    }
    return new Retired(names.size() - refused.size(), refused);
  }

  /// Logs that are not to be deleted: the listed ones, and those of others.
  private Set<Long> kept() throws IOException, CorruptStreamException {
    Set<Long> kept = new HashSet<>();
    for (ReplicatedLogs.Labelled each : labelled()) {
      if (LogLabel.decode(each.label()).filter(this::isOwn).isEmpty()) {
        kept.add(each.log());
      }
    }
    kept.addAll(listed());
    return kept;
  }

  private Set<Long> listed() throws IOException, CorruptStreamException {
    Set<Long> listed = new HashSet<>();
    for (ListedSegment segment : logs.table().read(0)) {
      listed.add(segment.record().log());
    }
    return listed;
  }

  private List<ReplicatedLogs.Labelled> labelled() throws StreamUnavailableException {
    try {
      return machines.list();
    } catch (IOException e) {
      throw new StreamUnavailableException("the logs cannot be listed", e);
    }
  }

  /// Deletes the logs that earlier owners made of this stream and that are not listed: those owners
  /// list nothing any more. Logs are listed first, segments second: a log that is listed since then
  /// is this owner's and has its epoch.
  ///
  /// @return how many
  public synchronized int sweep() throws IOException, CorruptStreamException {
    List<ReplicatedLogs.Labelled> all = labelled();
    Set<Long> listed = listed();
    int deleted = 0;
    for (ReplicatedLogs.Labelled each : all) {
      if (!listed.contains(each.log()) && isLeft(each)) {
        writer.stream().deleteUnlisted(each.log());
        deleted++;
      }
    }
    return deleted;
  }

  private boolean isLeft(ReplicatedLogs.Labelled log) {
    Optional<LogLabel> label = LogLabel.decode(log.label());
    return label.filter(this::isOwn).isPresent() && label.get().epoch() < writer.epoch();
  }

  private boolean isOwn(LogLabel label) {
    return label.cluster().equals(paths.cluster()) && label.shard() == writer.stream().id().shard();
  }
}
