package io.tallystick.server.saved;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The row of a sealed block: where its frame lies, the roots it sealed, and the head signed over
/// it. 280 bytes, big-endian, in the order of the components; the last four are a CRC32C over the
/// block's height and the rest. Source: docs/formats/block-row.md.
///
/// @param frame location of the frame in the stream
/// @param frameNumber the frame's number, bound into its payloads' checksums
/// @param blockOffset of the block within the frame's info section
/// @param payloadOffset of the payload section, from the first byte of the frame
/// @param sealHash leaf hash of the seal: the block hash
/// @param headRoot root of the tree of `sealJsn + 1` leaves
/// @param headSignature receipt key's signature over the head; null until signed
public record BlockRow(
    long firstJsn,
    long sealJsn,
    long timeMs,
    long frame,
    long frameNumber,
    int blockOffset,
    int payloadOffset,
    Digest sealHash,
    Digest journalRoot,
    Digest clueRoot,
    Digest stateRoot,
    Digest headRoot,
    @Nullable Bytes headSignature) {
  public static final int BYTES = 280;
  private static final int SIGNATURE_BYTES = 64;
  private static final int CRC_OFFSET = BYTES - Integer.BYTES;
  private static final int ZEROS_OFFSET = CRC_OFFSET - Integer.BYTES;

  /// Size of the tree the head was signed for.
  public long size() {
    return sealJsn + 1;
  }

  /// Where its frame lies.
  public FramePlace place() {
    return new FramePlace(frame, frameNumber, payloadOffset);
  }

  /// The same row with its frame elsewhere.
  public BlockRow at(long location) {
    return new BlockRow(
        firstJsn,
        sealJsn,
        timeMs,
        location,
        frameNumber,
        blockOffset,
        payloadOffset,
        sealHash,
        journalRoot,
        clueRoot,
        stateRoot,
        headRoot,
        headSignature);
  }

  /// The same row with its head signed.
  public BlockRow signed(Bytes signature) {
    return new BlockRow(
        firstJsn,
        sealJsn,
        timeMs,
        frame,
        frameNumber,
        blockOffset,
        payloadOffset,
        sealHash,
        journalRoot,
        clueRoot,
        stateRoot,
        headRoot,
        signature);
  }

  public byte[] encode(long height) {
    ByteBuffer out = ByteBuffer.allocate(BYTES);
    out.putLong(firstJsn).putLong(sealJsn).putLong(timeMs).putLong(frame).putLong(frameNumber);
    out.putInt(blockOffset).putInt(payloadOffset);
    for (Digest digest : new Digest[] {sealHash, journalRoot, clueRoot, stateRoot, headRoot}) {
      out.put(digest.toArray());
    }
    if (headSignature != null) {
      out.put(headSignature.unsafeArray());
    }
    out.putInt(CRC_OFFSET, checksum(out.array(), height));
    return out.array();
  }

  /// An undamaged row's bytes.
  private static ByteBuffer checked(byte[] row, long height) throws CorruptStreamException {
    ByteBuffer in = ByteBuffer.wrap(row);
    if (in.getInt(CRC_OFFSET) != checksum(row, height)) {
      throw new CorruptStreamException(
          "block rows", height * BYTES, "checksum of the row of block " + height + " is wrong");
    }
    if (in.getInt(ZEROS_OFFSET) != 0) {
      throw new CorruptStreamException(
          "block rows", height * BYTES, "reserved bytes of block " + height + " are not zero");
    }
    return in;
  }

  /// The first jsn alone: a search needs no more.
  public static long firstJsn(byte[] row, long height) throws CorruptStreamException {
    return checked(row, height).getLong();
  }

  public static BlockRow decode(byte[] row, long height) throws CorruptStreamException {
    ByteBuffer in = checked(row, height);
    return new BlockRow(
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getInt(),
        in.getInt(),
        digest(in),
        digest(in),
        digest(in),
        digest(in),
        digest(in),
        signature(in));
  }

  private static Digest digest(ByteBuffer in) {
    byte[] bytes = new byte[Digest.BYTES];
    in.get(bytes);
    return Digest.of(bytes);
  }

  private static @Nullable Bytes signature(ByteBuffer in) {
    byte[] bytes = new byte[SIGNATURE_BYTES];
    in.get(bytes);
    return Arrays.equals(bytes, new byte[SIGNATURE_BYTES]) ? null : Bytes.wrap(bytes);
  }

  private static int checksum(byte[] row, long height) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, height));
    crc.update(row, 0, CRC_OFFSET);
    return (int) crc.getValue();
  }
}
