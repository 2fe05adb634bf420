package io.tallystick.audit.replay;

import java.io.IOException;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Blocks of entries in the auditor's temporary file, made when there is need of it. A block is
/// checked against the checksum that stayed in memory, which is also over its position. Not
/// thread-safe.
final class BlockFile implements AutoCloseable {
  private final ReplayMemory memory;
  private final CRC32C checksum = new CRC32C();
  private @Nullable SpillFile file;

  BlockFile(ReplayMemory memory) {
    this.memory = memory;
  }

  /// Where a block is.
  record Block(long position, int size, int checksum) {}

  Block write(byte[] bytes, int size) throws IOException {
    SpillFile spill = file;
    if (spill == null) {
      spill = new SpillFile(memory.directory());
      file = spill;
    }
    long position = spill.write(bytes, size);
    return new Block(position, size, checksum(position, bytes, size));
  }

  byte[] read(Block block) throws IOException {
    byte[] bytes = new byte[block.size];
    written().read(block.position, bytes, block.size);
    if (checksum(block.position, bytes, block.size) != block.checksum) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "the auditor's temporary file in %s does not hold what was written at %d (%d bytes)",
              memory.directory(),
              block.position,
              block.size));
    }
    return bytes;
  }

  void free(Block block) throws IOException {
    written().free(block.position, block.size);
  }

  private SpillFile written() {
    if (file == null) {
      throw new AssertionError("no block was written");
    }
    return file;
  }

  private int checksum(long position, byte[] bytes, int size) {
    checksum.reset();
    checksum.update(bytes, 0, size);
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      checksum.update((int) (position >>> shift));
    }
    return (int) checksum.getValue();
  }

  /// How long the file is; 0 if there is none.
  long bytes() {
    return file == null ? 0 : file.bytes();
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
