package io.tallystick.storage.stream;

import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The writer of a local stream. The owner's calls only hand over; an executor of its own, which
/// runs one task after the other, does the I/O.
final class LocalStreamWriter implements StreamWriter {
  private final StreamId id;
  private final long epoch;
  private final StreamSettings settings;
  private final StreamState state;
  private final SegmentAppender appender;
  private final Executor io;
  private final Runnable stopIo;
  private final @Nullable TornTail cut;

  private volatile @Nullable InFlightFrame inFlight;
  private volatile @Nullable StreamPosition endInFlight;
  private volatile @Nullable Throwable deathCause;
  private volatile boolean closed;
  private boolean stopped;

  LocalStreamWriter(
      StreamId id,
      long epoch,
      StreamSettings settings,
      StreamState state,
      SegmentAppender appender,
      Executor io,
      Runnable stopIo,
      @Nullable TornTail cut) {
    this.cut = cut;
    this.id = id;
    this.epoch = epoch;
    this.settings = settings;
    this.state = state;
    this.appender = appender;
    this.io = io;
    this.stopIo = stopIo;
  }

  @Override
  public StreamPosition end() {
    StreamPosition end = endInFlight;
    return end != null ? end : state.durable();
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public Optional<TornTail> cut() {
    return Optional.ofNullable(cut);
  }

  StreamState state() {
    return state;
  }

  @Override
  public PendingFrame append(FrameBuffer frame) throws IOException {
    requireReady();
    int bytes = frame.frameBytes();
    if (bytes > FrameHeader.MAX_FRAME_BYTES) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "frame of %d bytes, at most %d", bytes, FrameHeader.MAX_FRAME_BYTES));
    }
    StreamPosition end = state.durable();
    boolean newSegment = !fits(end, FrameHeader.aligned(bytes));
    StreamPosition at = newSegment ? startOfNextSegment(end) : end;
    InFlightFrame pending = new InFlightFrame(at);
    endInFlight = new StreamPosition(at.frame() + FrameHeader.aligned(bytes), at.number() + 1);
    hand(
        pending,
        () -> {
          if (newSegment) {
            appender.startSegment();
          }
          appender.append(frame, epoch);
        });
    return pending;
  }

  @Override
  public void roll() throws IOException {
    requireReady();
    StreamPosition end = state.durable();
    if (StreamFiles.position(end.frame()) > SegmentHeader.BYTES) {
      InFlightFrame pending = new InFlightFrame(startOfNextSegment(end));
      hand(pending, appender::startSegment);
      pending.awaitDurable();
    }
  }

  @Override
  public long writtenBytes() {
    return state.writtenBytes();
  }

  /// Stops this writer for good in favour of one with a higher epoch.
  void fence(long newEpoch) throws IOException {
    deathCause =
        new StreamFencedException(
            String.format(
                Locale.ROOT,
                "shard %d: epoch %d was taken over by epoch %d",
                id.shard(),
                epoch,
                newEpoch));
    stop();
  }

  @Override
  public void close() throws IOException {
    closed = true;
    stop();
  }

  private synchronized void stop() throws IOException {
    if (!stopped) {
      stopped = true;
      InFlightFrame pending = inFlight;
      if (pending != null) {
        pending.awaitDone();
      }
      stopIo.run();
      appender.close();
    }
  }

  private boolean fits(StreamPosition end, int bytes) {
    long position = StreamFiles.position(end.frame());
    return position == SegmentHeader.BYTES || position + bytes <= settings.segmentBytes();
  }

  private static StreamPosition startOfNextSegment(StreamPosition end) {
    return new StreamPosition(
        FrameLocations.of(FrameLocations.segment(end.frame()) + 1, SegmentHeader.BYTES),
        end.number());
  }

  private void requireReady() throws IOException {
    Throwable cause = deathCause;
    if (cause instanceof StreamFencedException) {
      throw new StreamFencedException(String.valueOf(cause.getMessage()));
    }
    if (cause != null) {
      throw new IOException(
          String.format(Locale.ROOT, "the writer of shard %d is dead", id.shard()), cause);
    }
    InFlightFrame pending = inFlight;
    if (closed || (pending != null && !pending.isDone())) {
      throw new IllegalStateException(closed ? "writer is closed" : "a frame is in flight");
    }
  }

  /// Work that may fail with the disk.
  @FunctionalInterface
  private interface DiskTask {
    void run() throws IOException;
  }

  private void hand(InFlightFrame pending, DiskTask task) {
    inFlight = pending;
    io.execute(() -> run(pending, task));
  }

  private void run(InFlightFrame pending, DiskTask task) {
    try {
      task.run();
      appender.prepareAhead();
      endInFlight = null;
      pending.succeed();
    } catch (DiskFullException e) {
      endInFlight = null;
      pending.fail(e);
    } catch (Throwable e) {
      deathCause = e;
      endInFlight = null;
      pending.fail(e);
    }
  }
}
