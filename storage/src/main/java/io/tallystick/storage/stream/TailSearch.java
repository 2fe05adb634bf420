package io.tallystick.storage.stream;

import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.framing.FrameHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// Looks through all that lies behind the last whole frame: zeros, the remains of one frame that
/// was never acknowledged, or, if the stream is damaged, later frames.
final class TailSearch {
  private static final int CHUNK_BYTES = 256 * 1024;
  private static final ByteBuffer ZEROS = ByteBuffer.allocate(CHUNK_BYTES).asReadOnlyBuffer();

  private final String name;
  private final SegmentHeader segment;
  private final long number;

  /// @param number the frame that should stand where the search begins
  TailSearch(String name, SegmentHeader segment, long number) {
    this.name = name;
    this.segment = segment;
    this.number = number;
  }

  /// @return whether anything but zeros is there
  /// @throws CorruptStreamException if a frame of that or a higher number stands further on. Lower
  ///   ones are a client's payload that happens to be a copy of this stream
  boolean run(DiskFile file, long from) throws IOException, CorruptStreamException {
    ByteBuffer chunk = chunkFor(file, from);
    boolean torn = false;
    for (long at = from; file.read(at, chunk.clear()) > 0; at += CHUNK_BYTES) {
      if (!isZero(chunk.flip())) {
        torn = true;
        searchChunk(chunk, at, from);
      }
    }
    return torn;
  }

  private void searchChunk(ByteBuffer chunk, long at, long from) throws CorruptStreamException {
    int last = chunk.limit() - FrameHeader.BYTES;
    for (int offset = 0; offset <= last; offset += FrameHeader.ALIGNMENT) {
      if (chunk.getInt(offset) == FrameHeader.MAGIC && at + offset != from) {
        refuseLater(chunk.slice(offset, FrameHeader.BYTES), at + offset, from);
      }
    }
  }

  private void refuseLater(ByteBuffer header, long position, long from)
      throws CorruptStreamException {
    FrameHeader.Mark mark = FrameHeader.mark(header); // null: bytes that look like a header
    if (mark != null && mark.nonce() == segment.nonce() && mark.number() >= number) {
      throw new CorruptStreamException(
          name,
          from,
          String.format(
              Locale.ROOT,
              "frame %d is bad, but frame %d stands at %d",
              number,
              mark.number(),
              position));
    }
  }

  /// Zeroes everything from `from` on that is not zero. Not forced.
  ///
  /// @return the number of bytes from there to the last that was not
  static long zero(DiskFile file, long from) throws IOException {
    ByteBuffer chunk = chunkFor(file, from);
    int count;
    long end = from;
    for (long at = from; (count = file.read(at, chunk.clear())) > 0; at += CHUNK_BYTES) {
      if (!isZero(chunk.flip())) {
        end = at + beforeZeros(chunk);
        file.write(at, ZEROS.slice(0, count));
      }
    }
    return end - from;
  }

  private static int beforeZeros(ByteBuffer chunk) {
    int end = chunk.limit();
    while (end > 0 && chunk.get(end - 1) == 0) {
      end--;
    }
    return end;
  }

  /// No larger than what there is to read.
  private static ByteBuffer chunkFor(DiskFile file, long from) throws IOException {
    return ByteBuffer.allocate(Math.clamp(file.size() - from, 1, CHUNK_BYTES));
  }

  private static boolean isZero(ByteBuffer chunk) {
    return chunk.mismatch(ZEROS.slice(0, chunk.remaining())) < 0;
  }
}
