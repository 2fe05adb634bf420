package io.tallystick.storage.stream;

import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// Reads and checks single frames of one segment. Keeps one buffer for info sections. Not
/// thread-safe.
final class FrameScan {
  /// Positional reads of a segment file.
  @FunctionalInterface
  interface Source {
    /// As {@link io.tallystick.storage.disk.DiskFile#read}.
    int read(long position, ByteBuffer into) throws IOException;
  }

  private final ByteBuffer header = ByteBuffer.allocate(FrameHeader.BYTES);
  private ByteBuffer infos = ByteBuffer.allocate(FrameHeader.BYTES);

  FrameScan() {}

  /// The header at `position`.
  ///
  /// @throws MalformedException if there is no undamaged one
  FrameHeader header(Source source, long position) throws IOException, MalformedException {
    source.read(position, header.clear());
    return FrameHeader.decode(header.flip());
  }

  /// @throws MalformedException if an undamaged frame stands where another belongs: no crash does
  ///   that, but a misdirected write does
  static void checkPlace(FrameHeader frame, SegmentHeader segment, long number)
      throws MalformedException {
    if (frame.nonce() != segment.nonce()) {
      throw new MalformedException("holds a frame of another segment, want frame " + number);
    }
    if (frame.number() != number) {
      throw new MalformedException(
          String.format(Locale.ROOT, "holds frame %d, want %d", frame.number(), number));
    }
  }

  /// The info section of the frame at `position`; valid until the next call.
  ///
  /// @throws MalformedException if it is damaged or cut off
  ByteBuffer infos(Source source, FrameHeader frame, long position)
      throws IOException, MalformedException {
    if (infos.capacity() < frame.infoBytes()) {
      infos = ByteBuffer.allocate(2 * frame.infoBytes());
    }
    source.read(position + FrameHeader.BYTES, infos.clear().limit(frame.infoBytes()));
    frame.checkInfos(infos.flip());
    return infos;
  }
}
