package io.tallystick.storage.replicated;

import io.tallystick.cbor.CborWriter;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/// A stream in the hands of its owner: lists its segments. A log is made first and listed behind
/// it, both before its first entry; what stands in a log that is not listed does not count.
final class OwnedStream {
  private final ReplicatedLogs logs;
  private final ClusterPaths paths;
  private final OwnedChanges changes;
  private final ReplicatedSettings settings;
  private final RandomGenerator nonces;
  private final LongSupplier millis;

  /// @param millis a clock that never goes back
  OwnedStream(
      ReplicatedLogs logs,
      ClusterPaths paths,
      OwnedChanges changes,
      ReplicatedSettings settings,
      RandomGenerator nonces,
      LongSupplier millis) {
    this.logs = logs;
    this.paths = paths;
    this.changes = changes;
    this.settings = settings;
    this.nonces = nonces;
    this.millis = millis;
  }

  StreamId id() {
    return changes.claim().shard();
  }

  long epoch() {
    return changes.claim().epoch();
  }

  ReplicatedSettings settings() {
    return settings;
  }

  long millis() {
    return millis.getAsLong();
  }

  long nonce() {
    return nonces.nextLong();
  }

  /// A log that was made, on as many machines as there were.
  record Made(LogWriter log, Quorum quorum) {
    boolean isThin() {
      return !quorum.equals(Quorum.FULL);
    }
  }

  /// A segment that was begun.
  ///
  /// @param closed the one before, as it is listed now; null if there is none
  record Begun(LogWriter log, ListedSegment segment, ListedSegment closed) {}

  /// Makes a log with all copies or, while a machine is down, a thin one.
  ///
  /// @throws StreamUnavailableException if too few machines are there; no log was made
  Made make() throws IOException {
    try {
      return make(Quorum.FULL);
    } catch (StreamUnavailableException e) {
      if (!(e.getCause() instanceof QuorumUnavailableException)) {
        throw e;
      }
      return make(Quorum.THIN);
    }
  }

  /// @throws StreamUnavailableException because of a {@link QuorumUnavailableException} if there
  ///   are not so many machines; because of something else if a log may have been made
  Made make(Quorum quorum) throws IOException {
    LogLabel label = new LogLabel(paths.cluster(), id().shard(), epoch());
    try {
      return new Made(logs.create(quorum, label.encode()), quorum);
    } catch (IOException e) {
      throw new StreamUnavailableException("no log could be made of " + quorum, e);
    }
  }

  /// Whether there are known to be machines enough for all copies.
  boolean hasAllMachines() {
    try {
      return logs.machines() >= Quorum.FULL.ensemble();
    } catch (IOException _) {
      return false; // they cannot even be counted
    }
  }

  /// Begins the first segment of the stream.
  Begun beginFirst() throws IOException {
    Made made = make();
    SegmentRecord record = record(made, 0, 0);
    ListedSegment first = new ListedSegment(0, record, 0);
    commit(List.of(create(first)));
    return new Begun(made.log(), first, first);
  }

  /// Closes a segment and begins the next, in one change.
  ///
  /// @param end of the segment
  /// @param thin whether an entry of it may have fewer copies than it should
  Begun beginAfter(ListedSegment last, SegmentRecord.End end, boolean thin) throws IOException {
    Made made = make();
    ListedSegment closed =
        new ListedSegment(
            last.number(), last.record().closed(end, thin, nonce()), last.version() + 1);
    long bytes = Math.addExact(last.record().bytesBefore(), end.bytes());
    ListedSegment next =
        new ListedSegment(Math.addExact(last.number(), 1), record(made, end.nextFrame(), bytes), 0);
    commit(List.of(put(closed, last.version()), create(next)));
    return new Begun(made.log(), next, closed);
  }

  private SegmentRecord record(Made made, long firstFrame, long bytesBefore) {
    return new SegmentRecord(
        made.log().log(),
        epoch(),
        firstFrame,
        bytesBefore,
        0,
        made.quorum(),
        made.isThin(),
        false,
        settings.pieceBytes(),
        nonce(),
        null,
        nonce());
  }

  private Change create(ListedSegment segment) {
    return new Change.Create(
        paths.segment(id(), segment.number()), segment.record().encode(), false);
  }

  private Change put(ListedSegment segment, int version) {
    return new Change.Put(
        paths.segment(id(), segment.number()), segment.record().encode(), version);
  }

  /// Lists segments that are closed, in one change.
  void list(List<ListedSegment> closed) throws IOException {
    commit(closed.stream().map(this::create).toList());
  }

  /// Puts a copy in the place of a segment's log, which is retired.
  ///
  /// @return the segment as it is listed now
  ListedSegment swap(ListedSegment old, Made copy, boolean thin) throws IOException {
    SegmentRecord record =
        old.record().replaced(copy.log().log(), copy.quorum(), copy.isThin() || thin, nonce());
    ListedSegment swapped = new ListedSegment(old.number(), record, old.version() + 1);
    commit(List.of(put(swapped, old.version()), retirement(old)));
    return swapped;
  }

  /// Takes segments off the list; their logs are retired.
  void drop(List<ListedSegment> segments) throws IOException {
    List<Change> drops = new ArrayList<>();
    for (ListedSegment each : segments) {
      drops.add(retirement(each));
      drops.add(new Change.Delete(paths.segment(id(), each.number()), each.version()));
    }
    commit(drops);
  }

  private Change retirement(ListedSegment segment) {
    return new Change.Create(
        paths.retired(id(), segment.record().log()),
        ValueFields.write(new CborWriter(), nonce()).toBytes(),
        false);
  }

  /// Deletes a retired log, and then forgets that it was retired.
  void delete(long log) throws IOException {
    deleteUnlisted(log);
    commit(List.of(new Change.Delete(paths.retired(id(), log), 0)));
  }

  /// Deletes a log that is not listed and never will be.
  void deleteUnlisted(long log) throws IOException {
    try {
      logs.delete(log);
    } catch (IOException e) {
      throw new StreamUnavailableException("log " + log + " could not be deleted", e);
    }
  }

  /// @throws StreamUnavailableException if it was not made, or nothing is known
  private void commit(List<Change> made) throws IOException {
    try {
      changes.commit(made);
    } catch (OutcomeUnknownException e) {
      throw new StreamUnavailableException("nobody knows whether a change was made", e);
    } catch (ChangeRefusedException e) {
      // One that this owner sent before, and did not wait for any longer, was done since.
      throw new StreamUnavailableException("the list is not what it was", e);
    }
  }
}
