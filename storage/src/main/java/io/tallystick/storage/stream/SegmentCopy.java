package io.tallystick.storage.stream;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.framing.FrameScan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Set;

/// Reads a whole segment of a local stream, frame by frame. One thread's.
final class SegmentCopy {
  private final StreamFiles files;
  private final SegmentCache cache;
  private ByteBuffer frame = ByteBuffer.allocate(64 << 10);

  SegmentCopy(StreamFiles files, SegmentCache cache) {
    this.files = files;
    this.cache = cache;
  }

  /// As {@link StreamReader#copy}.
  long read(StreamReader.Segment segment, Set<Long> unfinished, SegmentSink sink)
      throws IOException, CorruptStreamException {
    long position = SegmentHeader.BYTES;
    long number = segment.firstFrame();
    String name = files.segment(segment.number());
    FrameScan.Source source = (from, into) -> cache.read(name, from, into);
    try {
      ByteBuffer head = head(source, segment);
      SegmentHeader header = SegmentHeader.decode(head, files.id().shard(), segment.number());
      sink.header(head);
      FrameScan scan = new FrameScan();
      while (position < segment.bytes()) {
        FrameHeader next = scan.header(source, position);
        FrameScan.checkPlace(next, header.nonce(), number);
        ByteBuffer bytes = read(source, position, next);
        if (!unfinished.contains(FrameLocations.of(segment.number(), position))) {
          check(next, position, bytes, sink);
        }
        sink.frame(number, bytes, next.infoBytes());
        position += next.alignedBytes();
        number++;
      }
      return number;
    } catch (MalformedException e) {
      throw files.corrupt(segment.number(), position, e);
    }
  }

  private ByteBuffer head(FrameScan.Source source, StreamReader.Segment segment)
      throws IOException, CorruptStreamException {
    ByteBuffer head = ByteBuffer.allocate(SegmentHeader.BYTES);
    try {
      source.read(0, head);
      return head.flip();
    } catch (NoSuchFileException e) {
      throw files.missing(segment.number(), 0, e);
    }
  }

  private ByteBuffer read(FrameScan.Source source, long position, FrameHeader header)
      throws IOException, MalformedException {
    int bytes = header.alignedBytes();
    if (frame.capacity() < bytes) {
      frame = ByteBuffer.allocate(Math.max(bytes, 2 * frame.capacity()));
    }
    source.read(position, frame.clear().limit(bytes));
    if (frame.position() < header.frameBytes()) {
      throw new MalformedException("frame " + header.number() + " is cut off");
    }
    while (frame.hasRemaining()) {
      frame.put((byte) 0);
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
