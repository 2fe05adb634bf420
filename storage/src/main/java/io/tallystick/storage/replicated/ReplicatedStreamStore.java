package io.tallystick.storage.replicated;

import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamUnavailableException;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/// Streams on replicated logs, one after the other, which a list in {@link Coordination} names. To
/// write one takes a claim on its shard. Thread-safe. Source: `docs/formats/replicated.md`.
public final class ReplicatedStreamStore implements StreamStore {
  private final ReplicatedLogs logs;
  private final Coordination coordination;
  private final ClusterPaths paths;
  private final ShardClaims claims;
  private final ReplicatedSettings settings;
  private final RandomGenerator nonces;
  private final LongSupplier millis;
  private final OpenLogs open;
  private final LongAdder retiredBytes = new LongAdder();
  private final Map<StreamId, Held> writers = new ConcurrentHashMap<>();

  /// A writer of this store, and what goes with it.
  private record Held(
      ReplicatedStreamWriter writer, SegmentLogs logs, ConfirmedEnd end, SegmentUpkeep upkeep) {}

  /// @param coordination the one that `claims` uses: its reads come behind the claims
  /// @param nonces a secure source, or a seeded one in a test
  /// @param millis a clock that never goes back
  public ReplicatedStreamStore(
      ReplicatedLogs logs,
      Coordination coordination,
      ClusterPaths paths,
      ShardClaims claims,
      ReplicatedSettings settings,
      RandomGenerator nonces,
      LongSupplier millis) {
    this.logs = logs;
    this.coordination = coordination;
    this.paths = paths;
    this.claims = claims;
    this.settings = settings;
    this.nonces = nonces;
    this.millis = millis;
    this.open = new OpenLogs(logs);
  }

  /// Takes over writing under the claim of this epoch, which this server must have made. A claim is
  /// good for one writer.
  ///
  /// @throws StreamFencedException if there is no such claim, or another server has claimed the
  ///   shard since
  /// @throws StreamUnavailableException if machines are missing or something was not answered; a
  ///   new claim is then needed
  @Override
  public StreamWriter openWriter(StreamId id, long epoch, StreamPosition from)
      throws IOException, CorruptStreamException {
    ShardClaim claim = claims.held(id).orElse(null);
    if (claim == null || claim.epoch() != epoch) {
      throw new StreamFencedException(
          String.format(Locale.ROOT, "shard %d: epoch %d is not claimed here", id.shard(), epoch));
    }
    OwnedStream stream =
        new OwnedStream(logs, paths, claims.changes(claim), settings, nonces, millis);
    SegmentTable table = new SegmentTable(coordination, paths, id);
    StreamTakeover.Taken taken =
        new StreamTakeover(stream, table, logs, open, claims, claim).run(from);
    ReplicatedStreamWriter writer = new ReplicatedStreamWriter(stream, taken, open);
    SegmentLogs segments = new SegmentLogs(table, taken.list(), open);
    SegmentUpkeep upkeep =
        new SegmentUpkeep(writer, segments, coordination, logs, paths, retiredBytes);
    Held earlier =
        writers.put(id, new Held(writer, segments, new ConfirmedEnd(segments, open), upkeep));
    if (earlier != null) {
      earlier.writer.fence(epoch);
    }
    return writer;
  }

  /// The epoch of the writer that listed the newest segment.
  @Override
  public long epochOf(StreamId id) throws IOException, CorruptStreamException {
    SegmentTable table = new SegmentTable(coordination, paths, id);
    List<Integer> numbers = table.numbers();
    Optional<ListedSegment> newest =
        numbers.isEmpty() ? Optional.empty() : table.one(numbers.getLast());
    return newest.isEmpty() ? -1 : newest.get().record().epoch();
  }

  /// The logs that hold the segments of a stream now, by number of the segment. What a closed
  /// segment holds changes only together with its log.
  public SortedMap<Integer, Long> logsOf(StreamId id) throws IOException, CorruptStreamException {
    SortedMap<Integer, Long> its = new TreeMap<>();
    for (ListedSegment each : new SegmentTable(coordination, paths, id).read(0)) {
      its.put(each.number(), each.record().log());
    }
    return its;
  }

  @Override
  public StreamReader openReader(StreamId id) throws IOException, CorruptStreamException {
    Held held = writers.get(id);
    if (held != null && !held.writer.isOver()) {
      return new ReplicatedStreamReader(held.logs, held.end, () -> !held.writer.isOver());
    }
    SegmentTable table = new SegmentTable(coordination, paths, id);
    SegmentLogs segments = new SegmentLogs(table, new SegmentList(), open);
    ConfirmedEnd end = new ConfirmedEnd(segments, open);
    end.advance();
    return new ReplicatedStreamReader(segments, end, () -> false);
  }

  @Override
  public StreamEraser openEraser(StreamId id) {
    Held held = held(id);
    return new ReplicatedStreamEraser(held.writer, held.logs, held.upkeep);
  }

  /// For a stream of which this store has opened a writer.
  ///
  /// @throws IllegalStateException if it has not
  public SegmentUpkeep upkeep(StreamId id) {
    return held(id).upkeep;
  }

  /// Bytes of logs that writers of this store have replaced or dropped.
  public long retiredBytes() {
    return retiredBytes.sum();
  }

  private Held held(StreamId id) {
    Held held = writers.get(id);
    if (held == null) {
      throw new IllegalStateException(
          String.format(Locale.ROOT, "no writer of shard %d is open", id.shard()));
    }
    return held;
  }

  /// Closes writers and readers; the facades stay the caller's to close.
  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (Held held : writers.values()) {
      try {
        held.writer.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    writers.clear();
    open.close();
    if (failure != null) {
      throw failure;
    }
  }
}
