package io.tallystick.storage.stream;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.framing.FrameScan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/// Walks the frames of a local stream; may go on when the writer has.
final class LocalFrameCursor implements FrameCursor {
  private final StreamFiles files;
  private final StreamState state;
  private final SegmentCache cache;
  private final FrameScan scan = new FrameScan();

  private StreamPosition next;
  private @Nullable Frame present;

  /// The frame the cursor stands on.
  private record Frame(
      StreamPosition position, FrameHeader header, ByteBuffer infos, ByteBuffer notes) {}

  LocalFrameCursor(StreamFiles files, StreamState state, SegmentCache cache, StreamPosition from) {
    this.files = files;
    this.state = state;
    this.cache = cache;
    this.next = from;
  }

  @Override
  public boolean next() throws IOException, CorruptStreamException {
    present = null;
    if (next.number() >= state.durable().number()) {
      return false;
    }
    StreamPosition at = state.resolve(next);
    int segment = FrameLocations.segment(at.frame());
    long position = StreamFiles.position(at.frame());
    try {
      Frame frame = read(at, segment, position);
      next =
          new StreamPosition(
              at.frame() + frame.header().alignedBytes(), frame.header().number() + 1);
      present = frame;
      return true;
    } catch (NoSuchFileException e) {
      throw files.missing(segment, position, e);
    } catch (MalformedException e) {
      throw files.corrupt(segment, position, e);
    }
  }

  private Frame read(StreamPosition at, int segment, long position)
      throws IOException, MalformedException {
    SegmentHeader header = state.segment(segment);
    if (header == null) {
      throw new MalformedException("there is no such segment");
    }
    String name = files.segment(segment);
    FrameScan.Source source = (from, into) -> cache.read(name, from, into);
    FrameHeader frame = scan.header(source, position);
    FrameScan.checkPlace(frame, header.nonce(), at.number());
    ByteBuffer infos = scan.infos(source, frame, position).asReadOnlyBuffer();
    return new Frame(at, frame, infos, scan.notes(source, frame, position).asReadOnlyBuffer());
  }

  @Override
  public StreamPosition position() {
    return present().position();
  }

  @Override
  public long epoch() {
    return present().header().epoch();
  }

  @Override
  public ByteBuffer infos() {
    return present().infos();
  }

  @Override
  public ByteBuffer notes() {
    return present().notes();
  }

  @Override
  public int payloadOffset() {
    return present().header().payloadOffset();
  }

  @Override
  public int payloadBytes() {
    return present().header().payloadBytes();
  }

  @Override
  public StreamPosition after() {
    present();
    return next;
  }

  @Override
  public void close() {}

  private Frame present() {
    Frame frame = present;
    if (frame == null) {
      throw new IllegalStateException("the cursor stands on no frame");
    }
    return frame;
  }
}
