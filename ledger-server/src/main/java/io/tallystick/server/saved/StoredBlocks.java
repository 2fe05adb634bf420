package io.tallystick.server.saved;

import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// Sealed blocks as they lie in the commit stream. Thread-safe.
public final class StoredBlocks {
  private final StreamReader stream;

  public StoredBlocks(StreamReader stream) {
    this.stream = stream;
  }

  public byte[] read(Location at, int count) throws IOException, CorruptStreamException {
    byte[] bytes = new byte[count];
    stream.read(at, ByteBuffer.wrap(bytes));
    return bytes;
  }

  /// Bytes of the info section that holds a block.
  public byte[] readInfos(BlockRow row, int offset, int count)
      throws IOException, CorruptStreamException {
    return read(new Location(row.frame(), FrameHeader.BYTES + offset), count);
  }

  public BlockInfo block(StrandId strand, BlockRow row) throws IOException, CorruptStreamException {
    int length = BlockInfo.lengthIn(readInfos(row, row.blockOffset(), BlockInfo.HEADER_BYTES));
    if (length < BlockInfo.HEADER_BYTES || length > row.payloadOffset()) {
      throw damaged(row, "block of " + length + " bytes");
    }
    try {
      BlockInfo block =
          BlockInfo.checked(
              readInfos(row, row.blockOffset(), length), row.blockOffset(), row.timeMs());
      if (!isNamedBy(row, strand, block)) {
        throw new MalformedException(
            String.format(
                Locale.ROOT,
                "block of %s from %d to %d, want %s from %d to %d",
                block.strand(),
                block.firstJsn(),
                block.sealJsn(),
                strand,
                row.firstJsn(),
                row.sealJsn()));
      }
      return block;
    } catch (MalformedException e) {
      throw damaged(row, String.valueOf(e.getMessage()));
    }
  }

  /// A block that is damaged, with its file.
  public CorruptStreamException damaged(BlockRow row, String detail) {
    return damaged(new Location(row.frame(), FrameHeader.BYTES + row.blockOffset()), detail);
  }

  /// Bytes that are damaged, with their file.
  public CorruptStreamException damaged(Location at, String detail) {
    return stream.damaged(at, detail);
  }

  public static CorruptStreamException corrupt(BlockRow row, String detail) {
    return new CorruptStreamException(
        "frame " + row.frameNumber(), FrameHeader.BYTES + row.blockOffset(), detail);
  }

  /// A misdirected write may leave a block there that is whole, and has other journals. The first
  /// block is the only one of a genesis, and no hash covers that it says so.
  private static boolean isNamedBy(BlockRow row, StrandId strand, BlockInfo block) {
    return block.strand().equals(strand)
        && block.firstJsn() == row.firstJsn()
        && block.sealJsn() == row.sealJsn()
        && block.genesis() == (row.firstJsn() == 0);
  }
}
