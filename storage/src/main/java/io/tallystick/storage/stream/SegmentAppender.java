package io.tallystick.storage.stream;

import io.tallystick.storage.disk.DiskFullException;
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

  private final SegmentFactory factory;
  private final StreamSettings settings;
  private final StreamState state;
  private final RandomGenerator nonces;
  private final Executor background;

  private SegmentFile segment;
  private ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES_MIN);
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
    long position = FrameLocations.position(at.frame());
    FrameHeader header = assemble(frame, epoch, at.number());
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

  private FrameHeader assemble(FrameBuffer frame, long epoch, long number) {
    int bytes = FrameHeader.aligned(frame.frameBytes());
    if (buffer.capacity() < bytes) {
      buffer = ByteBuffer.allocateDirect(Math.min(2 * bytes, FrameHeader.MAX_FRAME_BYTES));
    }
    buffer.clear().put(frame.headerAndInfos()).put(frame.payloadSection());
    while (buffer.position() < bytes) {
      buffer.put((byte) 0);
    }
    buffer.flip();
    ByteBuffer infos = buffer.slice(FrameHeader.BYTES, frame.infoBytes());
    ByteBuffer payloads = buffer.slice(FrameHeader.BYTES + frame.infoBytes(), frame.payloadBytes());
    FrameHeader header =
        FrameHeader.stamp(segment.header().nonce(), epoch, number, infos, payloads);
    buffer.put(0, header.encode(), 0, FrameHeader.BYTES);
    return header;
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
    long end = FrameLocations.position(state.durable().frame());
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
