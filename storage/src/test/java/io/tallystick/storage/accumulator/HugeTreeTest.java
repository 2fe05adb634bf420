package io.tallystick.storage.accumulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// A tree of more than 2⁴⁰ leaves: no offset, index or count overflows. The leaves are equal, so
/// that roots follow from the size alone and the files need no room; the meta rows are written by
/// hand as `docs/formats/accumulator.md` says.
class HugeTreeTest {
  private static final long SIZE = (1L << 40) + (1L << 33) + 12_345;
  private static final Digest LEAF = TreeHasher.leafHash(Bytes.utf8("the same"));
  private static final List<Digest> COMPLETE = complete();

  private final UniformDisk disk = new UniformDisk(COMPLETE);
  private final InMemoryMetaStore meta = new InMemoryMetaStore();

  @Test
  void restoresProvesAndGrows() throws Exception {
    saveByHand(SIZE);
    long grown = SIZE;
    SplittableRandom random = new SplittableRandom(1);
    for (int round = 0; round < 3; round++) {
      try (Shard shard = Shard.open(disk, meta, ArrayLimits.DEFAULT)) {
        Accumulator accumulator = shard.accumulator();
        assertThat(accumulator.size()).isEqualTo(grown);
        shard.append(Collections.nCopies(10_000, LEAF));
        grown += 10_000;
        assertThat(accumulator.root()).isEqualTo(mth(grown));
        verifyProofs(accumulator, grown, random);
        shard.savepoint();
      }
    }
    assertThat(disk.size(file(0))).isEqualTo(grown * 32);
    assertThat(disk.size(file(40))).isEqualTo(32);
  }

  private void verifyProofs(Accumulator accumulator, long grown, SplittableRandom random)
      throws Exception {
    for (int run = 0; run < 300; run++) {
      long size = run == 0 ? grown : random.nextLong(1, grown + 1);
      JournalRoot root = new JournalRoot(mth(size));
      long jsn = random.nextLong(size);
      assertThat(accumulator.leafHash(jsn)).isEqualTo(LEAF);
      assertThat(disk.lastReadPosition()).isEqualTo(32 * jsn);
      assertThat(accumulator.rootAt(size)).isEqualTo(root.digest());
      accumulator.inclusion(jsn, size).verify(LEAF, root);
      long from = random.nextLong(1, size + 1);
      accumulator.consistency(from, size).verify(new JournalRoot(mth(from)), root);
      int count = (int) Math.min(5, size - jsn);
      accumulator.range(jsn, count, size).verify(Collections.nCopies(count, LEAF), root);
    }
  }

  private void saveByHand(long size) {
    MetaBatch batch = new MetaBatch();
    for (int level = 0; level <= 40; level += 4) {
      long rows = size >> level;
      disk.setSize(file(level), rows * 32);
      ByteBuffer head = ByteBuffer.allocate(14);
      head.put((byte) 1).put((byte) 1).putInt(32).putLong(rows);
      String name = name(level);
      batch.put(key("array/", (char) name.length() + name + (char) 0), Bytes.wrap(head.array()));
    }
    ByteBuffer head = ByteBuffer.allocate(41 + 32 * Long.bitCount(size));
    head.put((byte) 2).putLong(size).put(mth(size).toArray());
    for (int level = 0; level <= 40; level++) {
      if ((size >> level & 1) == 1) {
        head.put(COMPLETE.get(level).toArray());
      }
    }
    batch.put(key("accumulator/", ""), Bytes.wrap(head.array()));
    meta.write(batch);
  }

  private static Bytes key(String prefix, String suffix) {
    ByteBuffer key = ByteBuffer.allocate(prefix.length() + 36 + suffix.length());
    key.put(prefix.getBytes(StandardCharsets.US_ASCII));
    key.put(Shard.STRAND.ledger().digest().toArray()).putInt(0);
    key.put(suffix.getBytes(StandardCharsets.US_ASCII));
    return Bytes.wrap(key.array());
  }

  private static String file(int level) {
    return String.format(
        Locale.ROOT, "index/%s-0/%s.arr", Shard.STRAND.ledger().hex(), name(level));
  }

  private static String name(int level) {
    return String.format(Locale.ROOT, "bamt-%02d", level);
  }

  private static List<Digest> complete() {
    List<Digest> complete = new ArrayList<>(List.of(LEAF));
    for (int level = 0; level < 44; level++) {
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
