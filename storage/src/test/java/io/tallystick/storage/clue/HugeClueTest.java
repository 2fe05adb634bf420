package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.clue.ClueModel.Appended;
import io.tallystick.storage.meta.MetaBatch;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/// A clue with more than 2³³ entries, in cells beyond 2³⁹ bytes: no offset, index or count
/// overflows, and every look-up is a few cells. The rows of the meta store are written by hand as
/// `docs/formats/clue-index.md` says.
class HugeClueTest {
  static final Digest CLUE = ClueModel.clueId(1);
  static final Digest LEAF_HASH = ClueModel.clueId(2);
  private static final int MORE = 1000;
  private static final List<Digest> COMPLETE = complete();

  @Test
  void worksAcrossEveryBoundary() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    for (long boundary : new long[] {1L << 31, 1L << 32, 1L << 33, (1L << 40) + 12_345}) {
      readsAndGrows(boundary - MORE / 2, random);
    }
  }

  private static void readsAndGrows(long count, SplittableRandom random) throws Exception {
    LongListDisk disk = new LongListDisk(count);
    LongListRows meta = new LongListRows(COMPLETE);
    saveByHand(meta, count);
    try (Shard shard = Shard.open(disk, meta)) {
      for (long i = count; i < count + MORE; i++) {
        shard.append(new Appended(CLUE, 3 * i + 1, LEAF_HASH, false));
      }
      shard.savepoint();
      assertThat(disk.cells()).isEqualTo(count + MORE);
      assertReads(shard.index(), disk, count + MORE, random);
    }
    try (Shard shard = Shard.open(disk, meta)) {
      assertReads(shard.index(), disk, count + MORE, random);
    }
  }

  private static void assertReads(
      ClueIndex index, LongListDisk disk, long count, SplittableRandom random) throws Exception {
    int log = Long.SIZE - Long.numberOfLeadingZeros(count);
    assertThat(index.head(CLUE).orElseThrow().count()).isEqualTo(count);
    for (int run = 0; run < 200; run++) {
      long at = run % 2 == 0 ? random.nextLong(count) : count - 1 - random.nextInt(MORE);
      ClueEntry entry = new ClueEntry(at, 3 * at + 1, LEAF_HASH);
      assertThat(disk.reads()).isNotNegative();
      assertThat(index.entry(CLUE, at)).isEqualTo(entry);
      assertThat(disk.reads()).isLessThanOrEqualTo(2 * log + 1);
      assertThat(index.latest(CLUE, entry.jsn() + random.nextInt(3))).contains(entry);
      assertThat(disk.reads()).isLessThanOrEqualTo(2 * log + 1);
    }
    for (int run = 0; run < 20; run++) {
      long size = run == 0 ? count : random.nextLong(1, count + 1);
      long first = random.nextLong(size);
      int some = (int) Math.min(300, size - first);
      JournalRoot root = new JournalRoot(mth(size));
      assertThat(index.root(CLUE, size)).isEqualTo(root.digest());
      index
          .proof(CLUE, first, some, size)
          .verify(Collections.nCopies(some, COMPLETE.getFirst()), root);
    }
  }

  private static void saveByHand(LongListRows meta, long count) {
    ByteBuffer array = ByteBuffer.allocate(14).put((byte) 1).put((byte) 1).putInt(64);
    array.putLong(count);
    ByteBuffer index = ByteBuffer.allocate(10).put((byte) 1).put((byte) 0).putLong(count);
    List<Long> spine = new ArrayList<>();
    for (long at = count - 1; at >= 0; at = LongListDisk.skip(at)) {
      spine.addFirst(at);
    }
    ByteBuffer head = ByteBuffer.allocate(21 + 16 * spine.size() + 32 * Long.bitCount(count));
    head.put((byte) 1).putLong(count).putLong(0);
    spine.forEach(at -> head.putLong(at).putLong(3 * at + 1));
    for (int level = 0; level < Long.SIZE - 1; level++) {
      if ((count >> level & 1) == 1) {
        head.put(COMPLETE.get(level).toArray());
      }
    }
    CRC32C crc = new CRC32C();
    crc.update(CLUE.toArray());
    crc.update(head.array(), 0, head.position());
    head.putInt((int) crc.getValue());
    MetaBatch batch = new MetaBatch();
    batch.put(key("array/", "\u0005clues\0".getBytes(StandardCharsets.US_ASCII)), bytes(array));
    batch.put(key("c", new byte[0]), bytes(index));
    batch.put(key("c", CLUE.toArray()), bytes(head));
    meta.write(batch);
  }

  private static Bytes bytes(ByteBuffer buffer) {
    assertThat(buffer.hasRemaining()).isFalse();
    byte[] bytes = new byte[buffer.capacity()];
    buffer.get(0, bytes);
    return Bytes.wrap(bytes);
  }

  private static Bytes key(String prefix, byte[] suffix) {
    ByteBuffer key = ByteBuffer.allocate(prefix.length() + 36 + suffix.length);
    key.put(prefix.getBytes(StandardCharsets.US_ASCII));
    key.put(Shard.STRAND.ledger().digest().toArray()).putInt(0).put(suffix);
    return Bytes.copyOf(key.array());
  }

  private static List<Digest> complete() {
    List<Digest> complete = new ArrayList<>(List.of(TreeHasher.leafHash(LEAF_HASH)));
    for (int level = 0; level < 62; level++) {
      complete.add(TreeHasher.nodeHash(complete.get(level), complete.get(level)));
    }
    return complete;
  }

  /// RFC 9162's recursion on the size alone.
  private static Digest mth(long size) {
    long top = Long.highestOneBit(size);
    Digest left = COMPLETE.get(Long.numberOfTrailingZeros(top));
    return size == top ? left : TreeHasher.nodeHash(left, mth(size - top));
  }
}
