package io.tallystick.storage.framing;

import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// Reads and checks single frames of a segment, in whatever it is stored. Keeps one buffer for info
/// sections. Not thread-safe.
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

  public FrameScan() {}

  /// The header at `position`.
  ///
  /// @throws MalformedException if there is no undamaged one
  public FrameHeader header(Source source, long position) throws IOException, MalformedException {
    source.read(position, header.clear());
    return FrameHeader.decode(header.flip());
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
    if (infos.capacity() < frame.infoBytes()) {
      infos = ByteBuffer.allocate(2 * frame.infoBytes());
    }
    source.read(position + FrameHeader.BYTES, infos.clear().limit(frame.infoBytes()));
    frame.checkInfos(infos.flip());
    return infos;
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
}
