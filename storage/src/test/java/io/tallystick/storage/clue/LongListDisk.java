package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/// A disk that holds the cells of one clue with any number of entries, and needs no room for them:
/// cell i is entry i, of journal 3 i + 1, and all leaf hashes are one. What is written is checked
/// against it. What the clue index does not need is refused.
final class LongListDisk implements Disk {
  private static final int CELL = 64;

  private long cells;
  private int reads;

  LongListDisk(long cells) {
    this.cells = cells;
  }

  long cells() {
    return cells;
  }

  /// Cells read since the last call.
  int reads() {
    int count = reads;
    reads = 0;
    return count;
  }

  /// Cell `index` as `docs/formats/clue-index.md` says.
  static byte[] cell(long index) {
    ByteBuffer covered = ByteBuffer.allocate(8 + 32 + CELL);
    covered.putLong(index).put(HugeClueTest.CLUE.toArray());
    covered.putLong(3 * index + 1).put(HugeClueTest.LEAF_HASH.toArray());
    covered.putLong(index - 1).putLong(skip(index)).putInt((int) index);
    CRC32C crc = new CRC32C();
    crc.update(covered.array(), 0, covered.position());
    covered.putInt((int) crc.getValue());
    return Arrays.copyOfRange(covered.array(), 40, 104);
  }

  /// From the definition: the digits of index + 1, greatest first; the last is skipped.
  static long skip(long index) {
    long rest = index + 1;
    long last = 0;
    for (int bits = 62; bits > 0; bits--) {
      long tree = (1L << bits) - 1;
      while (rest >= tree) {
        rest -= tree;
        last = tree;
      }
    }
    return index - last;
  }

  @Override
  public DiskFile open(String name) {
    assertThat(name).isEqualTo(Shard.FILE);
    return new Cells();
  }

  private final class Cells implements DiskFile {
    @Override
    public String name() {
      return Shard.FILE;
    }

    @Override
    public long size() {
      return cells * CELL;
    }

    @Override
    public int read(long position, ByteBuffer into) {
      int start = into.position();
      for (long at = position; into.hasRemaining() && at < size(); at = nextCell(at)) {
        byte[] cell = cell(at / CELL);
        int within = (int) (at % CELL);
        into.put(cell, within, Math.min(CELL - within, into.remaining()));
        reads++;
      }
      return into.position() - start;
    }

    private static long nextCell(long at) {
      return at - at % CELL + CELL;
    }

    @Override
    public void write(long position, ByteBuffer from) {
      assertThat(position).as("no hole").isEqualTo(size());
      byte[] cell = new byte[CELL];
      while (from.hasRemaining()) {
        from.get(cell);
        assertThat(cell).isEqualTo(cell(cells++));
      }
    }

    @Override
    public void force() {}

    @Override
    public void truncate(long size) {
      assertThat(size).isEqualTo(size());
    }

    @Override
    public void allocate(long size) {
      throw new AssertionError("arrays do not allocate");
    }

    @Override
    public void close() {}
  }

  @Override
  public boolean exists(String name) {
    return true;
  }

  @Override
  public List<String> list(String directory) {
    throw new AssertionError("arrays do not list");
  }

  @Override
  public void rename(String from, String to) {
    throw new AssertionError("arrays do not rename");
  }

  @Override
  public void delete(String name) {
    throw new AssertionError("arrays do not delete");
  }

  @Override
  public void forceDirectory(String directory) {}

  @Override
  public long freeBytes() {
    return Long.MAX_VALUE;
  }

  @Override
  public void close() {}
}
