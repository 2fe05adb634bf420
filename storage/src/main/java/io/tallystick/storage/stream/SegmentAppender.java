package io.tallystick.storage.stream;

import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The I/O side of a writer: lays frames into segments, forces them, and has space made ahead. Used
/// by the writer's I/O thread alone.
final class SegmentAppender implements AutoCloseable {
  private static final int BUFFER_BYTES_MIN = 64 * 1024;

  /// Zeros that may follow a frame in the buffer: its alignment, and the rest of a page.
  private static final byte[] ZEROS = new byte[2 * DiskFile.PAGE_BYTES];

  private final SegmentFactory factory;
  private final StreamSettings settings;
  private final StreamState state;
  private final RandomGenerator nonces;
  private final Executor background;

  private SegmentFile segment;
  private ByteBuffer buffer = pages(BUFFER_BYTES_MIN);
  private boolean spareWanted = true;

  /// Why space could not be made ahead; a full disk does not count.
  private volatile @Nullable Throwable backgroundFailure;

  SegmentAppender(
      SegmentFactory factory,
      StreamSettings settings,
      StreamState state,
      SegmentFile segment,
      RandomGenerator nonces,
      Executor background) {
    this.factory = factory;
    this.settings = settings;
    this.state = state;
    this.segment = segment;
    this.nonces = nonces;
    this.background = background;
  }

  /// One write and one force. The state has advanced when this returns.
  ///
  /// @throws DiskFullException if nothing of the frame was kept
  void append(FrameBuffer frame, long epoch) throws IOException {
    checkBackground();
    StreamPosition at = state.durable();
    long position = StreamFiles.position(at.frame());
    FrameHeader header = assemble(frame, position, epoch, at.number());
    try {
      segment.write(position, buffer);
    } catch (DiskFullException e) {
      wipe(position, header.alignedBytes(), e);
      throw e;
    }
    segment.force();
    long end = position + header.alignedBytes();
    state.advance(
        new StreamPosition(FrameLocations.of(segment.header().segment(), end), at.number() + 1));
  }

  private void wipe(long position, int bytes, DiskFullException cause) throws IOException {
    try {
      segment.wipe(position, bytes);
    } catch (IOException e) {
      IOException unclean = new IOException("a full disk left part of a frame", e);
      unclean.addSuppressed(cause);
      throw unclean;
    }
  }

  /// Lays the frame into the buffer, as far from a page's start as it will be in the file, and
  /// zeros behind it up to a page's end.
  private FrameHeader assemble(FrameBuffer frame, long position, long epoch, long number) {
    int bytes = FrameHeader.aligned(frame.frameBytes());
    int start = (int) (position % DiskFile.PAGE_BYTES);
    int needed = start + bytes + DiskFile.PAGE_BYTES;
    if (buffer.capacity() < needed) {
      buffer = pages(Math.max(needed, Math.min(2 * needed, FrameHeader.MAX_FRAME_BYTES)));
    }
    buffer.clear().position(start);
    FrameHeader header = frame.layInto(buffer, segment.header().nonce(), epoch, number);
    buffer.put(ZEROS, 0, needed - buffer.position());
    buffer.position(start).limit(start + bytes);
    return header;
  }

  /// A buffer that starts at a page's start.
  private static ByteBuffer pages(int bytes) {
    int pages = Math.ceilDiv(bytes, DiskFile.PAGE_BYTES);
    return ByteBuffer.allocateDirect((pages + 1) * DiskFile.PAGE_BYTES)
        .alignedSlice(DiskFile.PAGE_BYTES);
  }

  /// Goes on in a new segment.
  void startSegment() throws IOException {
    checkBackground();
    SegmentFile full = segment;
    SegmentHeader header =
        new SegmentHeader(
            full.header().shard(),
            Math.addExact(full.header().segment(), 1),
            state.durable().number(),
            state.writtenBytes(),
            nonces.nextLong());
    segment = factory.create(header);
    spareWanted = true;
    state.startSegment(header);
    full.close();
  }

  /// Has zeros laid before they are needed.
  void prepareAhead() {
    SegmentFile present = segment;
    long end = StreamFiles.position(state.durable().frame());
    if (present.runsLow(end)) {
      inBackground(() -> present.growAhead(end));
    }
    if (spareWanted && settings.wantsSpare(end)) {
      spareWanted = false;
      inBackground(factory::prepareSpare);
    }
  }

  /// Work that may fail with the disk.
  @FunctionalInterface
  private interface DiskTask {
    void run() throws IOException;
  }

  private void inBackground(DiskTask task) {
    try {
      background.execute(() -> runInBackground(task));
    } catch (RejectedExecutionException _) {
      // The store is closing; space is then made when it is needed.
    }
  }

  private void runInBackground(DiskTask task) {
    try {
      task.run();
    } catch (DiskFullException _) {
      // The frame that needs the space will say so.
    } catch (Throwable e) {
      backgroundFailure = e;
    }
  }

  private void checkBackground() throws IOException {
    Throwable failure = backgroundFailure;
    if (failure != null) {
      throw new IOException("allocation failed", failure);
    }
  }

  @Override
  public void close() throws IOException {
    factory.close();
    segment.close();
  }
}
