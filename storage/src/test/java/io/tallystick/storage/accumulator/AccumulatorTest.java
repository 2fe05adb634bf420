package io.tallystick.storage.accumulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.RangeProof;
import io.tallystick.model.Digest;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// The accumulator answers what RFC 9162's recursion answers, for every way leaves may come and be
/// saved.
class AccumulatorTest {
  private static final ReferenceTree TREE = ReferenceTree.ofSize(100_000);

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();

  @Test
  void hasTheRootOfEverySizeLeafByLeaf() throws Exception {
    try (Shard shard = open()) {
      assertThat(shard.accumulator().root()).isEqualTo(TREE.root(0));
      for (int size = 1; size <= 300; size++) {
        shard.accumulator().append(TREE.leafHash(size - 1));
        assertThat(shard.accumulator().root()).as("size %d", size).isEqualTo(TREE.root(size));
      }
    }
  }

  @Test
  void provesEveryLeafOfEveryOlderSize() throws Exception {
    try (Shard shard = grown(300, new SplittableRandom(1))) {
      Accumulator accumulator = shard.accumulator();
      for (int size = 1; size <= 300; size++) {
        assertThat(accumulator.rootAt(size)).as("size %d", size).isEqualTo(TREE.root(size));
        for (int jsn = 0; jsn < size; jsn++) {
          assertThat(accumulator.inclusion(jsn, size).path())
              .as("leaf %d of %d", jsn, size)
              .isEqualTo(TREE.inclusionPath(jsn, size));
        }
      }
    }
  }

  @Test
  void provesEveryOlderSizeConsistent() throws Exception {
    try (Shard shard = grown(300, new SplittableRandom(2))) {
      for (int to = 1; to <= 300; to++) {
        for (int from = 1; from <= to; from++) {
          assertThat(shard.accumulator().consistency(from, to).path())
              .as("from %d to %d", from, to)
              .isEqualTo(TREE.consistencyPath(from, to));
        }
      }
    }
  }

  @Test
  void provesEveryRange() throws Exception {
    try (Shard shard = grown(70, new SplittableRandom(3))) {
      for (int size = 1; size <= 70; size++) {
        for (int first = 0; first < size; first++) {
          for (int count = 1; count <= size - first; count++) {
            RangeProof proof = shard.accumulator().range(first, count, size);
            assertThat(proof.roots())
                .as("%d leaves from %d of %d", count, first, size)
                .isEqualTo(TREE.outsideRange(first, count, size));
          }
        }
      }
    }
  }

  /// Random batches, savepoints, closings and promotions up to 10⁵ leaves; what is then read is
  /// checked by the verifier of the core.
  @Test
  void yieldsProofsThatVerifyInLargeTrees() throws Exception {
    SplittableRandom random = new SplittableRandom(4);
    try (Shard shard = grown(TREE.size(), random)) {
      for (int run = 0; run < 500; run++) {
        int size = random.nextInt(1, TREE.size() + 1);
        verifyProofs(shard.accumulator(), size, random);
      }
      verifyProofs(shard.accumulator(), TREE.size(), random);
    }
  }

  @Test
  void continuesWhereTheLastSavepointWas() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    for (int run = 0; run < 200; run++) {
      InMemoryDisk disk = new InMemoryDisk();
      InMemoryMetaStore meta = new InMemoryMetaStore();
      int saved = random.nextInt(0, 500);
      int lost = random.nextInt(0, 200);
      try (Shard shard = Shard.open(disk, meta, Shard.SMALL)) {
        shard.append(TREE.leafHashes(0, saved));
        shard.savepoint();
        shard.append(TREE.leafHashes(1000, 1000 + lost));
      }
      try (Shard shard = Shard.open(disk, meta, Shard.SMALL)) {
        assertThat(shard.accumulator().size()).isEqualTo(saved);
        shard.append(TREE.leafHashes(saved, 600));
        assertThat(shard.accumulator().root()).isEqualTo(TREE.root(600));
        verifyProofs(shard.accumulator(), 600, random);
      }
    }
  }

  @Test
  void refusesSizesThatAreNotThereYet() throws Exception {
    try (Shard shard = grown(20, new SplittableRandom(6))) {
      Accumulator accumulator = shard.accumulator();
      assertThatThrownBy(() -> accumulator.rootAt(21))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> accumulator.inclusion(20, 20))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> accumulator.inclusion(3, 21))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> accumulator.leafHash(20))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  private Shard open() throws Exception {
    return Shard.open(disk, meta, Shard.SMALL);
  }

  /// A tree of `size`, grown in random batches with random savepoints; now and then it is closed
  /// and opened after one.
  private Shard grown(int size, SplittableRandom random) throws Exception {
    Shard shard = open();
    int done = 0;
    while (done < size) {
      int end = Math.min(size, done + random.nextInt(1 << random.nextInt(1, 13)));
      shard.append(TREE.leafHashes(done, end));
      done = end;
      if (random.nextInt(4) == 0) {
        shard.savepoint();
        if (random.nextInt(4) == 0) {
          shard.close();
          shard = Shard.open(disk, meta, random.nextBoolean() ? Shard.SMALL : ArrayLimits.DEFAULT);
        }
      }
    }
    assertThat(shard.accumulator().root()).isEqualTo(TREE.root(size));
    return shard;
  }

  private static void verifyProofs(Accumulator accumulator, int size, SplittableRandom random)
      throws Exception {
    Digest root = accumulator.rootAt(size);
    assertThat(root).isEqualTo(TREE.root(size));
    int jsn = random.nextInt(size);
    assertThat(accumulator.leafHash(jsn)).isEqualTo(TREE.leafHash(jsn));
    accumulator.inclusion(jsn, size).verify(TREE.leafHash(jsn), new JournalRoot(root));
    int from = random.nextInt(1, size + 1);
    accumulator
        .consistency(from, size)
        .verify(new JournalRoot(TREE.root(from)), new JournalRoot(root));
    int count = Math.min(size - jsn, random.nextInt(1, 200));
    accumulator
        .range(jsn, count, size)
        .verify(TREE.leafHashes(jsn, jsn + count), new JournalRoot(root));
  }
}
