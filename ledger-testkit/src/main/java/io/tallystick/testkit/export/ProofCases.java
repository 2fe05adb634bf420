package io.tallystick.testkit.export;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.storage.accumulator.Accumulator;
import io.tallystick.storage.accumulator.NodeCache;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.reference.ReferenceTree;
import java.io.IOException;
import java.util.SplittableRandom;

/// Inclusion and consistency proofs as the service makes them, from the accumulator: every index
/// and every pair of sizes to 70 or, in the long form, to 300, and random ones to 100,000 leaves.
/// Each is compared with the recursive definition first.
final class ProofCases {
  private static final int EVERY_SIZE_TO = Effort.of(70, 300);
  private static final int SIZE_MAX = 100_000;
  private static final int RANDOM_EACH = Effort.of(500, 2_000);
  private static final long SEED = 9162;

  private final ReferenceTree reference;
  private final Accumulator accumulator;
  private final CaseFile file;

  private ProofCases(ReferenceTree reference, Accumulator accumulator, CaseFile file) {
    this.reference = reference;
    this.accumulator = accumulator;
    this.file = file;
  }

  static void write(CaseFile file) throws Exception {
    ReferenceTree reference = ReferenceTree.ofSize(SIZE_MAX);
    InMemoryMetaStore meta = new InMemoryMetaStore();
    // Small arrays move to files early, so that proofs are read from both kinds of them.
    ArrayLimits limits = new ArrayLimits(1 << 16, 1 << 12, 8);
    try (ArrayStore arrays = new ArrayStore(new InMemoryDisk(), meta, limits);
        Accumulator accumulator =
            Accumulator.restore(
                arrays, meta, Fixtures.ledger().strand(), BatchHasher.cpu(), new NodeCache())) {
      for (int i = 0; i < SIZE_MAX; i++) {
        accumulator.append(reference.leafHash(i));
      }
      ProofCases cases = new ProofCases(reference, accumulator, file);
      cases.writeEverySmallOne();
      cases.writeRandomOnes();
    }
  }

  private void writeEverySmallOne() throws Exception {
    for (int size = 1; size <= EVERY_SIZE_TO; size++) {
      for (int index = 0; index < size; index++) {
        writeInclusion(index, size);
        writeConsistency(index + 1, size);
      }
    }
  }

  private void writeRandomOnes() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < RANDOM_EACH; i++) {
      int size = random.nextInt(EVERY_SIZE_TO + 1, SIZE_MAX + 1);
      writeInclusion(random.nextInt(size), size);
      writeConsistency(random.nextInt(1, size + 1), size);
    }
  }

  private void writeInclusion(int index, int size) throws Exception {
    InclusionProof proof = accumulator.inclusion(index, size);
    same(proof, new InclusionProof(index, size, reference.inclusionPath(index, size)));
    JournalRoot root = root(size);
    proof.verify(accumulator.leafHash(index), root);
    file.add(
        new CaseLine("inclusion")
            .number("index", index)
            .number("size", size)
            .hex("leafHash", accumulator.leafHash(index))
            .hexes("path", proof.path())
            .hex("root", root.digest()));
  }

  private void writeConsistency(int from, int to) throws Exception {
    ConsistencyProof proof = accumulator.consistency(from, to);
    same(proof, new ConsistencyProof(from, to, reference.consistencyPath(from, to)));
    proof.verify(root(from), root(to));
    file.add(
        new CaseLine("consistency")
            .number("from", from)
            .number("to", to)
            .hex("fromRoot", root(from).digest())
            .hex("toRoot", root(to).digest())
            .hexes("path", proof.path()));
  }

  private JournalRoot root(int size) throws IOException, Exception {
    JournalRoot root = new JournalRoot(accumulator.rootAt(size));
    same(root, new JournalRoot(reference.root(size)));
    return root;
  }

  private static void same(Object made, Object defined) {
    if (!made.equals(defined)) {
      throw new AssertionError("made " + made + ", by definition " + defined);
    }
  }
}
