package io.tallystick.storage.framing;

import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// Reads and checks single frames of a segment, in whatever it is stored. Keeps one buffer for each
/// kind of section. Not thread-safe.
public final class FrameScan {
  /// Positional reads of a segment.
  @FunctionalInterface
  public interface Source {
    /// Reads up to as many bytes as `into` has room for.
    ///
    /// @param position of the first one in the segment
    /// @return how many were read; fewer only at the segment's end
    int read(long position, ByteBuffer into) throws IOException;
  }

  private final ByteBuffer header = ByteBuffer.allocate(FrameHeader.BYTES);
  private ByteBuffer infos = ByteBuffer.allocate(FrameHeader.BYTES);
  private ByteBuffer notes = ByteBuffer.allocate(0);

  public FrameScan() {}

  /// The header at `position`.
  ///
  /// @throws MalformedException if there is no undamaged one
  public FrameHeader header(Source source, long position) throws IOException, MalformedException {
    source.read(position, header.clear());
    return FrameHeader.decode(header.flip());
  }

  /// Whether the header that was read last is undamaged and of a format that this software does not
  /// know: a newer one has written it.
  public boolean isOfUnknownFormat() {
    FrameHeader.Mark mark =
        header.remaining() < FrameHeader.BYTES ? null : FrameHeader.mark(header);
    return mark != null && !mark.isKnown();
  }

  /// @param nonce of the segment
  /// @param number of the frame that belongs there
  /// @throws MalformedException if an undamaged frame stands where another belongs: no crash does
  ///   that, but a misdirected write does
  public static void checkPlace(FrameHeader frame, long nonce, long number)
      throws MalformedException {
    if (frame.nonce() != nonce) {
      throw new MalformedException("holds a frame of another segment, want frame " + number);
    }
    if (frame.number() != number) {
      throw new MalformedException(
          String.format(Locale.ROOT, "holds frame %d, want %d", frame.number(), number));
    }
  }

  /// The same, and that the frame may follow one of an epoch.
  ///
  /// @param epoch of the frame before, -1 for none
  /// @throws MalformedException as {@link #checkPlace} does; also if the frame's epoch is lower
  public static void checkFollows(FrameHeader frame, long nonce, long number, long epoch)
      throws MalformedException {
    checkPlace(frame, nonce, number);
    if (frame.epoch() < epoch) {
      throw new MalformedException(
          String.format(Locale.ROOT, "epoch %d after epoch %d", frame.epoch(), epoch));
    }
  }

  /// The info section of the frame at `position`; valid until the next call.
  ///
  /// @throws MalformedException if it is damaged or cut off
  public ByteBuffer infos(Source source, FrameHeader frame, long position)
      throws IOException, MalformedException {
    infos = withRoom(infos, frame.infoBytes());
    source.read(position + FrameHeader.BYTES, infos);
    frame.checkInfos(infos.flip());
    return infos;
  }

  /// The notes section of the frame at `position`; valid until the next call.
  ///
  /// @throws MalformedException if it is damaged or cut off
  public ByteBuffer notes(Source source, FrameHeader frame, long position)
      throws IOException, MalformedException {
    notes = withRoom(notes, frame.notesBytes());
    if (frame.notesBytes() > 0) {
      source.read(position + frame.notesOffset(), notes);
    }
    frame.checkNotes(notes.flip());
    return notes;
  }

  /// Checks the payload section of the frame at `position`.
  ///
  /// @throws MalformedException if it is damaged or cut off
  public static void checkPayloads(Source source, FrameHeader frame, long position)
      throws IOException, MalformedException {
    ByteBuffer payloads = ByteBuffer.allocate(frame.payloadBytes());
    source.read(position + frame.payloadOffset(), payloads);
    frame.checkPayloads(payloads.flip());
  }

  private static ByteBuffer withRoom(ByteBuffer buffer, int bytes) {
    ByteBuffer roomy = buffer.capacity() < bytes ? ByteBuffer.allocate(2 * bytes) : buffer;
    return roomy.clear().limit(bytes);
  }
}
