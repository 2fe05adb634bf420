package io.tallystick.storage.replicated;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.framing.FrameScan;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.SegmentHeader;
import io.tallystick.storage.stream.SegmentSink;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;

/// Reads a whole segment, frame by frame, and hands it over in the form of a segment file. One
/// thread's.
final class ReplicatedCopy {
  private final SegmentLogs logs;
  private final StreamReader.Segment segment;
  private ByteBuffer frame = ByteBuffer.allocate(64 << 10);
  private long entry;

  ReplicatedCopy(SegmentLogs logs, StreamReader.Segment segment) {
    this.logs = logs;
    this.segment = segment;
  }

  /// The place that is read.
  long entry() {
    return entry;
  }

  /// As {@link StreamReader#copy}.
  long read(Set<Long> unfinished, SegmentSink sink)
      throws IOException, MalformedException, CorruptStreamException {
    ListedSegment listed = logs.segment(segment.number());
    SegmentRecord record = listed.record();
    long number = segment.firstFrame();
    entry = record.firstPlace();
    sink.header(header(record));
    FrameScan scan = new FrameScan();
    PieceSource source = logs.source(listed);
    long position = SegmentHeader.BYTES;
    while (position < segment.bytes()) {
      source.at(entry, logs.limit(segment.number()));
      FrameHeader next = scan.header(source, 0);
      FrameScan.checkPlace(next, record.frames(), number);
      ByteBuffer bytes = read(source, next);
      if (!unfinished.contains(FrameLocations.of(segment.number(), entry))) {
        check(next, position, bytes, sink);
      }
      sink.frame(number, bytes, next.infoBytes());
      entry += record.places(next.alignedBytes());
      position += next.alignedBytes();
      number++;
    }
    return number;
  }

  private ByteBuffer header(SegmentRecord record) {
    int shard = logs.table().id().shard();
    return new SegmentHeader(
            shard, segment.number(), record.firstFrame(), record.bytesBefore(), record.frames())
        .encode();
  }

  private ByteBuffer read(PieceSource source, FrameHeader header)
      throws IOException, MalformedException {
    int bytes = header.alignedBytes();
    if (frame.capacity() < bytes) {
      frame = ByteBuffer.allocate(Math.max(bytes, 2 * frame.capacity()));
    }
    if (source.read(0, frame.clear().limit(bytes)) < bytes) {
      throw new MalformedException("frame " + header.number() + " is cut off");
    }
    return frame.flip();
  }

  private static void check(FrameHeader header, long position, ByteBuffer bytes, SegmentSink sink)
      throws MalformedException {
    header.checkInfos(bytes.slice(FrameHeader.BYTES, header.infoBytes()));
    header.checkNotes(bytes.slice(header.notesOffset(), header.notesBytes()));
    try {
      header.checkPayloads(bytes.slice(header.payloadOffset(), header.payloadBytes()));
    } catch (MalformedException _) {
      sink.damaged(header.number(), position);
    }
  }
}
