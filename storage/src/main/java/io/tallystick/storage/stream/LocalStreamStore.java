package io.tallystick.storage.stream;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.framing.FrameLocations;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Streams in files of a {@link Disk}, which stays the caller's to close. Thread-safe.
public final class LocalStreamStore implements StreamStore {
  private final Disk disk;
  private final String directory;
  private final StreamSettings settings;
  private final RandomGenerator nonces;
  private final Executor background;
  private final Runnable stopBackground;
  private final boolean threads;
  private final SegmentCache cache;
  private final Map<StreamId, LocalStreamWriter> writers = new HashMap<>();

  private LocalStreamStore(
      Disk disk,
      String directory,
      StreamSettings settings,
      RandomGenerator nonces,
      Executor background,
      Runnable stopBackground,
      boolean threads) {
    this.disk = disk;
    this.directory = directory;
    this.settings = settings;
    this.nonces = nonces;
    this.background = background;
    this.stopBackground = stopBackground;
    this.threads = threads;
    this.cache = new SegmentCache(disk);
  }

  /// Streams in `directory` of `disk` (`""`: its root). Zeros are laid ahead by a thread of its
  /// own.
  public static LocalStreamStore open(Disk disk, String directory, StreamSettings settings) {
    ExecutorService allocator =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("stream-allocator").daemon().factory());
    return new LocalStreamStore(
        disk, directory, settings, new SecureRandom(), allocator, allocator::shutdown, true);
  }

  /// The same with nothing left to chance or to a second thread: each stream's operations on the
  /// disk come in one order, those of an append on the caller's thread. For tests and simulators.
  public static LocalStreamStore openDeterministic(
      Disk disk, String directory, StreamSettings settings, RandomGenerator nonces) {
    return new LocalStreamStore(disk, directory, settings, nonces, Runnable::run, () -> {}, false);
  }

  @Override
  public synchronized StreamWriter openWriter(StreamId id, long epoch, StreamPosition from)
      throws IOException, CorruptStreamException {
    if (epoch < 0) {
      throw new IllegalArgumentException("epoch " + epoch + " is negative");
    }
    StreamFiles files = new StreamFiles(disk, directory, id);
    EpochFile epochs = new EpochFile(files);
    requireHigher(id, epoch, epochs.read());
    LocalStreamWriter earlier = writers.remove(id);
    if (earlier != null) {
      earlier.fence(epoch);
    }
    LocalStreamWriter writer = recover(files, epoch, from, epochs);
    writers.put(id, writer);
    return writer;
  }

  private LocalStreamWriter recover(
      StreamFiles files, long epoch, StreamPosition from, EpochFile epochs)
      throws IOException, CorruptStreamException {
    NavigableMap<Integer, SegmentHeader> segments = files.readHeaders();
    SegmentFactory factory = new SegmentFactory(files, settings);
    if (segments.isEmpty() && epochs.read() < 0 && from.equals(START)) {
      factory.dropSpare();
      SegmentHeader first = new SegmentHeader(files.id().shard(), 0, 0, 0, nonces.nextLong());
      SegmentFile segment = factory.create(first);
      epochs.write(epoch);
      return writer(files, epoch, factory, segment, segments, StreamState.start(first), null);
    }
    StreamRecovery recovery = new StreamRecovery(files, segments);
    StreamRecovery.Tail tail = recovery.scan(from);
    requireHigher(files.id(), epoch, tail.epoch());
    epochs.write(epoch);
    factory.dropSpare();
    TornTail cut = recovery.repair(tail);
    return writer(files, epoch, factory, factory.open(tail.segment()), segments, tail.end(), cut);
  }

  private LocalStreamWriter writer(
      StreamFiles files,
      long epoch,
      SegmentFactory factory,
      SegmentFile segment,
      NavigableMap<Integer, SegmentHeader> segments,
      StreamPosition end,
      @Nullable TornTail cut) {
    segments.put(segment.header().segment(), segment.header());
    StreamState state = new StreamState(segments, end);
    SegmentAppender appender =
        new SegmentAppender(factory, settings, state, segment, nonces, background);
    if (!threads) {
      return new LocalStreamWriter(
          files.id(), epoch, settings, state, appender, Runnable::run, () -> {}, cut);
    }
    ExecutorService io =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("stream-" + files.id().shard()).daemon().factory());
    return new LocalStreamWriter(
        files.id(), epoch, settings, state, appender, io, io::shutdown, cut);
  }

  /// Name, on the disk, of the file in which a frame lies; for tools that look at a store from
  /// outside.
  public static String fileOf(String directory, StreamId id, long frame) {
    return StreamFiles.segment(StreamFiles.directory(directory, id), FrameLocations.segment(frame));
  }

  /// Position of a frame's first byte in {@link #fileOf}.
  public static long positionOf(long frame) {
    return StreamFiles.position(frame);
  }

  private static void requireHigher(StreamId id, long epoch, long seen)
      throws StreamFencedException {
    if (epoch <= seen) {
      throw new StreamFencedException(
          String.format(
              Locale.ROOT, "shard %d: epoch %d is fenced by epoch %d", id.shard(), epoch, seen));
    }
  }

  @Override
  public long epochOf(StreamId id) throws IOException, CorruptStreamException {
    return new EpochFile(new StreamFiles(disk, directory, id)).read();
  }

  @Override
  public synchronized StreamReader openReader(StreamId id)
      throws IOException, CorruptStreamException {
    StreamFiles files = new StreamFiles(disk, directory, id);
    LocalStreamWriter writer = writers.get(id);
    StreamState state = writer != null ? writer.state() : DurableEnd.find(files);
    return new LocalStreamReader(files, state, cache, writer != null);
  }

  @Override
  public synchronized StreamEraser openEraser(StreamId id) {
    LocalStreamWriter writer = writers.get(id);
    if (writer == null) {
      throw new IllegalStateException(
          String.format(Locale.ROOT, "no writer of shard %d is open", id.shard()));
    }
    return new LocalStreamEraser(new StreamFiles(disk, directory, id), writer.state(), cache);
  }

  @Override
  public synchronized void close() throws IOException {
    for (LocalStreamWriter writer : writers.values()) {
      writer.close();
    }
    stopBackground.run();
    cache.close();
  }
}
