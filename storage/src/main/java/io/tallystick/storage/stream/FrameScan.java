package io.tallystick.storage.stream;

import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// Reads and checks single frames of one segment. Keeps one buffer for each kind of section. Not
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
  private ByteBuffer notes = ByteBuffer.allocate(0);

  FrameScan() {}

  /// The header at `position`.
  ///
  /// @throws MalformedException if there is no undamaged one
  FrameHeader header(Source source, long position) throws IOException, MalformedException {
    source.read(position, header.clear());
    return FrameHeader.decode(header.flip());
  }

  /// Whether the header that was read last is undamaged and of a format that this software does not
  /// know: a newer one has written it.
  boolean isOfUnknownFormat() {
    FrameHeader.Mark mark =
        header.remaining() < FrameHeader.BYTES ? null : FrameHeader.mark(header);
    return mark != null && !mark.isKnown();
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
    infos = withRoom(infos, frame.infoBytes());
    source.read(position + FrameHeader.BYTES, infos);
    frame.checkInfos(infos.flip());
    return infos;
  }

  /// The notes section of the frame at `position`; valid until the next call.
  ///
  /// @throws MalformedException if it is damaged or cut off
  ByteBuffer notes(Source source, FrameHeader frame, long position)
      throws IOException, MalformedException {
    notes = withRoom(notes, frame.notesBytes());
    if (frame.notesBytes() > 0) {
      source.read(position + frame.notesOffset(), notes);
    }
    frame.checkNotes(notes.flip());
    return notes;
  }

  private static ByteBuffer withRoom(ByteBuffer buffer, int bytes) {
    ByteBuffer roomy = buffer.capacity() < bytes ? ByteBuffer.allocate(2 * bytes) : buffer;
    return roomy.clear().limit(bytes);
  }
}
