package io.tallystick.storage.replicated;

import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.PendingFrame;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamUnavailableException;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.storage.stream.TornTail;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The writer of a replicated stream. One frame is in flight at most. After any failure it is dead
/// for good: what the stream holds then is known only to the next takeover.
final class ReplicatedStreamWriter implements StreamWriter {
  private static final int BUFFER_BYTES_MIN = 64 * 1024;
  private static final byte[] ZEROS = new byte[FrameHeader.ALIGNMENT];

  private final OwnedStream stream;
  private final SegmentList list;
  private final OpenLogs readers;
  private final @Nullable TornTail cut;

  // Guarded by this.
  private LogWriter log;
  private long begunMillis;
  private long lookedMillis;
  private ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES_MIN);
  private @Nullable Pieces inFlight;
  private @Nullable Throwable death;
  private boolean closed;

  ReplicatedStreamWriter(OwnedStream stream, StreamTakeover.Taken taken, OpenLogs readers) {
    this.stream = stream;
    this.list = taken.list();
    this.readers = readers;
    this.log = taken.log();
    this.cut = taken.cut();
    this.begunMillis = stream.millis();
    this.lookedMillis = begunMillis;
    readers.prepare(log.log());
  }

  SegmentList list() {
    return list;
  }

  OwnedStream stream() {
    return stream;
  }

  @Override
  public synchronized StreamPosition end() {
    Pieces pending = inFlight;
    return pending != null ? pending.behind.position() : list.durable();
  }

  @Override
  public long epoch() {
    return stream.epoch();
  }

  @Override
  public Optional<TornTail> cut() {
    return Optional.ofNullable(cut);
  }

  /// @throws StreamFencedException if another has claimed the shard or recovered its log
  /// @throws StreamUnavailableException if machines are missing or something was not answered
  @Override
  public synchronized PendingFrame append(FrameBuffer frame) throws IOException {
    requireReady();
    int bytes = frame.frameBytes();
    if (bytes > FrameHeader.MAX_FRAME_BYTES) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "frame of %d bytes, at most %d", bytes, FrameHeader.MAX_FRAME_BYTES));
    }
    try {
      if (wantsNewSegment(FrameHeader.aligned(bytes))) {
        beginSegment();
      }
      Pieces pending = hand(frame);
      inFlight = pending;
      return pending;
    } catch (IOException e) {
      throw die(e);
    }
  }

  private boolean wantsNewSegment(int bytes) {
    long written = list.end().bytes();
    ReplicatedSettings settings = stream.settings();
    return written > 0
        && (written + bytes > settings.segmentBytes()
            || stream.millis() - begunMillis >= settings.segmentMillis()
            || isThinNoLonger());
  }

  /// Looks now and then whether a thin segment can be followed by one with all copies.
  private boolean isThinNoLonger() {
    if (stream.millis() - lookedMillis < stream.settings().thinMillis()
        || !(log.isThin() || list.last().record().thin())) {
      return false;
    }
    lookedMillis = stream.millis();
    return stream.hasAllMachines();
  }

  /// Closes the log, makes another and lists it.
  private void beginSegment() throws IOException {
    SegmentList.End end = list.end();
    log.close();
    OwnedStream.Begun begun =
        stream.beginAfter(
            list.last(),
            new SegmentRecord.End(
                FrameLocations.place(end.position().frame()), end.bytes(), end.position().number()),
            log.isThin());
    log = begun.log();
    readers.prepare(log.log());
    begunMillis = stream.millis();
    lookedMillis = begunMillis;
    list.follow(
        List.of(begun.closed(), begun.segment()),
        new SegmentList.End(SegmentList.start(begun.segment()), 0));
  }

  private Pieces hand(FrameBuffer frame) throws IOException {
    SegmentList.End end = list.end();
    SegmentRecord segment = list.last().record();
    int bytes = FrameHeader.aligned(frame.frameBytes());
    if (buffer.capacity() < bytes) {
      buffer = ByteBuffer.allocate(Math.max(bytes, 2 * buffer.capacity()));
    }
    StreamPosition at = end.position();
    frame.layInto(buffer.clear(), segment.frames(), stream.epoch(), at.number());
    buffer.put(ZEROS, 0, bytes - buffer.position());
    PendingAdd newest = null;
    for (int from = 0; from < bytes; from += segment.pieceBytes()) {
      newest = log.add(buffer.slice(from, Math.min(segment.pieceBytes(), bytes - from)));
    }
    if (newest == null) {
      throw new AssertionError("a frame has a header");
    }
    long entry = FrameLocations.place(at.frame()) + segment.places(bytes);
    StreamPosition behind =
        new StreamPosition(FrameLocations.of(list.last().number(), entry), at.number() + 1);
    return new Pieces(at, newest, new SegmentList.End(behind, end.bytes() + bytes));
  }

  @Override
  public synchronized void roll() throws IOException {
    requireReady();
    rollUnlessEmpty();
  }

  private void rollUnlessEmpty() throws IOException {
    if (list.end().bytes() > 0) {
      try {
        beginSegment();
      } catch (IOException e) {
        throw die(e);
      }
    }
  }

  /// Closes a segment if it is the one that is written to, beside the thread that appends.
  synchronized void rollPast(int segment) throws IOException {
    boolean interrupted = false;
    while (inFlight != null && death == null) {
      try {
        wait();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    requireReady();
    if (list.last().number() == segment) {
      rollUnlessEmpty();
    }
  }

  /// Whether it writes no more, so that another may.
  synchronized boolean isOver() {
    return closed || death != null;
  }

  @Override
  public long writtenBytes() {
    return list.writtenBytes();
  }

  /// Stops this writer for good in favour of one with a higher epoch.
  synchronized void fence(long newEpoch) {
    death =
        new StreamFencedException(
            String.format(
                Locale.ROOT,
                "shard %d: epoch %d was taken over by epoch %d",
                stream.id().shard(),
                stream.epoch(),
                newEpoch));
    notifyAll();
  }

  /// A failure after which nothing is known.
  ///
  /// @return what to throw
  synchronized IOException die(IOException cause) {
    if (death == null) {
      death = cause;
    }
    notifyAll();
    return told(cause);
  }

  private IOException told(Throwable cause) {
    boolean fenced = cause instanceof StreamFencedException || cause instanceof LogFencedException;
    String message =
        String.format(
            Locale.ROOT,
            "the writer of shard %d in epoch %d is dead: %s",
            stream.id().shard(),
            stream.epoch(),
            cause.getMessage());
    if (fenced) {
      StreamFencedException told = new StreamFencedException(message);
      told.initCause(cause);
      return told;
    }
    return new StreamUnavailableException(message, cause);
  }

  private void requireReady() throws IOException {
    Throwable cause = death;
    if (cause != null) {
      throw told(cause);
    }
    if (closed || inFlight != null) {
      throw new IllegalStateException(closed ? "writer is closed" : "a frame is in flight");
    }
  }

  /// Closes the log if nothing is in flight; what is in flight then is left to the next takeover.
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      if (death == null && inFlight == null) {
        try {
          log.close();
        } catch (IOException e) {
          throw die(e);
        }
      }
    }
  }

  private synchronized void settle(Pieces pieces) {
    if (inFlight == pieces) {
      list.advance(pieces.behind);
      inFlight = null;
      notifyAll();
    }
  }

  /// The pieces of one frame.
  private final class Pieces implements PendingFrame {
    private final StreamPosition position;
    private final PendingAdd newest;
    private final SegmentList.End behind;

    Pieces(StreamPosition position, PendingAdd newest, SegmentList.End behind) {
      this.position = position;
      this.newest = newest;
      this.behind = behind;
    }

    @Override
    public StreamPosition position() {
      return position;
    }

    @Override
    public boolean isDone() {
      return newest.isDone();
    }

    /// @throws StreamFencedException if the log was fenced; the frame may be in it all the same
    /// @throws StreamUnavailableException if nothing is known of the frame
    @Override
    public void awaitDurable() throws IOException {
      long entry;
      try {
        entry = newest.await();
      } catch (IOException e) {
        throw die(e);
      }
      if (entry != FrameLocations.place(behind.position().frame()) - 1) {
        throw new AssertionError("entry " + entry + " was confirmed before " + behind);
      }
      settle(this);
    }
  }
}
