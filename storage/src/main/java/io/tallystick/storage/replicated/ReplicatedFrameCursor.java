package io.tallystick.storage.replicated;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.framing.FrameScan;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Walks the frames of a replicated stream; may go on when the writer has.
final class ReplicatedFrameCursor implements FrameCursor {
  private final SegmentLogs logs;
  private final FrameScan scan = new FrameScan();

  private StreamPosition next;
  private @Nullable Frame present;
  private @Nullable Opened opened;

  /// The frame the cursor stands on.
  private record Frame(
      StreamPosition position, FrameHeader header, ByteBuffer infos, ByteBuffer notes) {}

  /// The segment that was read last, and what was fetched of it.
  private record Opened(int number, SegmentRecord record, PieceSource source) {}

  ReplicatedFrameCursor(SegmentLogs logs, StreamPosition from) {
    this.logs = logs;
    this.next = from;
  }

  @Override
  public boolean next() throws IOException, CorruptStreamException {
    present = null;
    if (next.number() >= logs.list().durable().number()) {
      return false;
    }
    StreamPosition from = logs.list().resolve(next);
    int number = FrameLocations.segment(from.frame());
    long place = FrameLocations.place(from.frame());
    try {
      Opened segment = open(number);
      place = segment.record.placeOf(from.frame());
      StreamPosition at = new StreamPosition(FrameLocations.of(number, place), from.number());
      Frame frame = read(at, segment, place);
      long behind = place + segment.record.places(frame.header.alignedBytes());
      next = new StreamPosition(FrameLocations.of(number, behind), at.number() + 1);
      present = frame;
      return true;
    } catch (SegmentGoneException | MalformedException e) {
      throw logs.table().corrupt(number, place, e);
    }
  }

  private Opened open(int number) throws SegmentGoneException {
    ListedSegment segment = logs.segment(number);
    Opened before = opened;
    if (before == null || before.number != number) {
      before = new Opened(number, segment.record(), logs.source(segment));
      opened = before;
    }
    return before;
  }

  private Frame read(StreamPosition at, Opened segment, long place)
      throws IOException, MalformedException {
    PieceSource source = segment.source.at(place, logs.limit(segment.number));
    FrameHeader frame = scan.header(source, 0);
    FrameScan.checkPlace(frame, segment.record.frames(), at.number());
    ByteBuffer infos = scan.infos(source, frame, 0).asReadOnlyBuffer();
    return new Frame(at, frame, infos, scan.notes(source, frame, 0).asReadOnlyBuffer());
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
