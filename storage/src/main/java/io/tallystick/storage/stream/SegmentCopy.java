package io.tallystick.storage.stream;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;

/// Reads whole segments of a local stream, frame by frame, so that a copy has the same bytes at the
/// same places. Nothing may be erased meanwhile. One thread's. Source: `docs/formats/frame.md`.
public final class SegmentCopy {
  private final StreamFiles files;
  private ByteBuffer frame = ByteBuffer.allocate(64 << 10);

  /// Takes what is read, in order and without gaps.
  public interface Sink {
    /// The segment's header.
    void header(ByteBuffer bytes) throws IOException;

    /// A frame with the zeros behind it.
    ///
    /// @param number of the frame
    /// @param bytes valid until the call returns
    /// @param infoBytes of its info section, which begins at {@link FrameHeader#BYTES}
    void frame(long number, ByteBuffer bytes, int infoBytes)
        throws IOException, CorruptStreamException;

    /// The payload section of the frame that comes next is damaged.
    ///
    /// @param position of the frame in the segment
    void damaged(long number, long position);
  }

  /// @param parent the folder of the streams on `disk`
  public SegmentCopy(Disk disk, String parent, StreamId id) {
    this.files = new StreamFiles(disk, parent, id);
  }

  /// The segment's file on its disk.
  public String file(int segment) {
    return files.segment(segment);
  }

  /// Reads a segment up to its durable end.
  ///
  /// @param segment as a {@link StreamReader} lists it
  /// @param unfinished locations of frames whose erasing may have been cut short: their sections
  ///   need not fit their headers
  /// @return the number of the frame that comes next
  /// @throws CorruptStreamException if a header, an info or a notes section is damaged
  public long read(StreamReader.Segment segment, Set<Long> unfinished, Sink sink)
      throws IOException, CorruptStreamException {
    long position = SegmentHeader.BYTES;
    long number = segment.firstFrame();
    try (DiskFile file = files.disk().open(files.segment(segment.number()))) {
      ByteBuffer head = ByteBuffer.allocate(SegmentHeader.BYTES);
      file.read(0, head);
      SegmentHeader header =
          SegmentHeader.decode(head.flip(), files.id().shard(), segment.number());
      sink.header(head);
      FrameScan scan = new FrameScan();
      while (position < segment.bytes()) {
        FrameHeader next = scan.header(file::read, position);
        FrameScan.checkPlace(next, header, number);
        ByteBuffer bytes = read(file, position, next);
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

  private ByteBuffer read(DiskFile file, long position, FrameHeader header)
      throws IOException, MalformedException {
    int bytes = header.alignedBytes();
    if (frame.capacity() < bytes) {
      frame = ByteBuffer.allocate(Math.max(bytes, 2 * frame.capacity()));
    }
    file.read(position, frame.clear().limit(bytes));
    if (frame.position() < header.frameBytes()) {
      throw new MalformedException("frame " + header.number() + " is cut off");
    }
    while (frame.hasRemaining()) {
      frame.put((byte) 0);
    }
    return frame.flip();
  }

  private static void check(FrameHeader header, long position, ByteBuffer bytes, Sink sink)
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
