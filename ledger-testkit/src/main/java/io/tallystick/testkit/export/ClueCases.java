package io.tallystick.testkit.export;

import io.tallystick.crypto.Sha256;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.patricia.ClueRoot;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.clue.ClueBatch;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.clue.ClueMemory;
import io.tallystick.storage.page.SlotLimits;
import io.tallystick.storage.patricia.PatriciaStore;
import io.tallystick.storage.patricia.PatriciaTrie;
import io.tallystick.storage.patricia.TrieBatch;
import io.tallystick.storage.patricia.TrieView;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceClues;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.patricia.ReferenceTrie;
import io.tallystick.testkit.reference.ReferenceTree;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Inclusion and absence proofs of clue tries of several sizes, and the roots of clues' own trees,
/// as the service's trie and clue index make them. Each is compared with the recursive definition
/// first, and passes our own verifier.
final class ClueCases {
  private static final int[] TRIE_SIZES = {1, 2, 3, 17, 200, 20_000};
  private static final int PROOFS_MAX = Effort.of(100, 400);
  private static final int EVERY_TREE_TO = 70;
  private static final int[] LARGER_TREES = {127, 128, 255, 256, 257, 1000, 3000};
  private static final int NODES_MAX = 1 << 20;

  private ClueCases() {}

  static void writeTries(CaseFile file) throws Exception {
    for (int size : TRIE_SIZES) {
      InMemoryMetaStore meta = new InMemoryMetaStore();
      try (Workers workers = new Workers(2, "conformance");
          PatriciaStore store =
              PatriciaStore.restore(
                  new InMemoryDisk(),
                  meta,
                  workers,
                  BatchHasher.cpu(),
                  new SlotLimits(2, 0),
                  NODES_MAX)) {
        writeTrie(file, store.trie(Fixtures.ledger().strand()), size);
      }
    }
  }

  private static void writeTrie(CaseFile file, PatriciaTrie trie, int size) throws Exception {
    ReferenceTrie reference = new ReferenceTrie();
    TrieBatch batch = new TrieBatch(size);
    for (int i = 0; i < size; i++) {
      byte[] key = ReferenceClues.key(used(i));
      byte[] value = value(i).encode().toArray();
      reference.put(key, value);
      batch.put(key, 0, value);
    }
    ClueRoot root = new ClueRoot(trie.apply(batch));
    same(root.digest(), reference.root());
    try (TrieView.Reader reader = trie.view().open().orElseThrow()) {
      int step = Math.max(1, size / PROOFS_MAX);
      for (int i = 0; i < size; i += step) {
        write(file, reader, reference, root, used(i), used((i + 1) % Math.max(2, size)));
      }
      for (int i = 0; i < Math.min(2 * size, PROOFS_MAX); i++) {
        write(file, reader, reference, root, neverUsed(i), used(i % size));
      }
    }
  }

  /// @param other a clue about which this proof must not seem to say the same
  private static void write(
      CaseFile file,
      TrieView.Reader reader,
      ReferenceTrie reference,
      ClueRoot root,
      Digest clueId,
      Digest other)
      throws Exception {
    TrieProof proof = new TrieProof(reader.proof(TrieProof.key(clueId)));
    same(proof.nodes(), reference.proof(ReferenceClues.key(clueId)));
    Optional<ClueValue> found = proof.verify(clueId, root);
    same(found.map(ClueValue::encode), reference.get(ReferenceClues.key(clueId)));
    file.add(
        new CaseLine("trie")
            .hex("clueId", clueId)
            .hex("other", other)
            .hex("root", root.digest())
            .hex("value", found.map(ClueValue::encode).orElse(Bytes.EMPTY))
            .hexStrings("nodes", proof.nodes()));
  }

  private static Digest used(int number) {
    return Digest.of(Fixtures.bytes32("clue " + number));
  }

  private static Digest neverUsed(int number) {
    return Digest.of(Fixtures.bytes32("clue never used " + number));
  }

  /// Numbers of every width that RLP has.
  private static ClueValue value(int number) {
    long count = 1L << number % 62;
    long deletedJsn = number % 3 == 0 ? (1L << number % 61) + 1 : 0;
    return new ClueValue(count, used(number), deletedJsn);
  }

  static void writeTrees(CaseFile file) throws Exception {
    InMemoryMetaStore meta = new InMemoryMetaStore();
    ArrayLimits limits = new ArrayLimits(1 << 16, 1 << 12, 8);
    try (Workers workers = new Workers(2, "conformance");
        ArrayStore arrays = new ArrayStore(new InMemoryDisk(), meta, limits);
        ClueIndex index =
            ClueIndex.restore(
                arrays,
                meta,
                Fixtures.ledger().strand(),
                new ClueMemory(ClueMemory.DEFAULT_BYTES),
                workers)) {
      Digest clueId = used(0);
      int largest = LARGER_TREES[LARGER_TREES.length - 1];
      List<Digest> leafHashes = new ArrayList<>(largest);
      ClueBatch batch = new ClueBatch();
      for (int i = 0; i < largest; i++) {
        leafHashes.add(Sha256.hash(("journal " + i).getBytes(StandardCharsets.UTF_8)));
        batch.add(clueId, 2 + i, leafHashes.get(i).toArray(), 0, false);
      }
      index.append(batch);
      ReferenceTree reference =
          new ReferenceTree(leafHashes.stream().map(Digest::toBytes).toList());
      for (int size = 1; size <= EVERY_TREE_TO; size++) {
        writeTree(file, index, clueId, leafHashes, reference, size);
      }
      for (int size : LARGER_TREES) {
        writeTree(file, index, clueId, leafHashes, reference, size);
      }
    }
  }

  private static void writeTree(
      CaseFile file,
      ClueIndex index,
      Digest clueId,
      List<Digest> leafHashes,
      ReferenceTree reference,
      int size)
      throws Exception {
    Digest root = index.root(clueId, size);
    same(root, reference.root(size));
    file.add(
        new CaseLine("clueTree")
            .hexes("leafHashes", leafHashes.subList(0, size))
            .hex("root", root));
  }

  private static void same(Object made, Object defined) {
    if (!made.equals(defined)) {
      throw new AssertionError("made " + made + ", by definition " + defined);
    }
  }
}
