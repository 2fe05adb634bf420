package io.tallystick.storage.patricia;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceBatchHasher;
import io.tallystick.model.Digest;
import io.tallystick.storage.page.SlotLimits;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.hashing.FakeDevice;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/// Goal: an edit hashes each of its nodes once, a level in few calls, from memory that the hasher
/// lends. Method: a device that counts, and the nodes of the newest epoch in the trie.
final class PhaseHashTest {
  @Seeded(runs = 2, longRuns = 12)
  void hashesEachNodeOfAnEditOnceAndALevelInOneCall(SplittableRandom random) throws Exception {
    for (UpdateWay way : UpdateWay.values()) {
      try (Workers one = new Workers(1, "alone")) {
        follow(way, one, random.split());
      }
    }
  }

  @Seeded(runs = 2, longRuns = 12)
  void hashesEachNodeOnceAlsoWhereWorkersMeet(SplittableRandom random) throws Exception {
    for (UpdateWay way : UpdateWay.values()) {
      try (Workers four = new Workers(4, "hash-test")) {
        follow(way, four, random.split());
      }
    }
  }

  private static void follow(UpdateWay way, Workers workers, SplittableRandom random)
      throws Exception {
    FakeDevice device = new FakeDevice(1, Integer.MAX_VALUE);
    DeviceBatchHasher hasher = new DeviceBatchHasher(device, _ -> {});
    try (PatriciaStore store = store(workers, hasher)) {
      PatriciaTrie trie = store.trie(Tries.STRAND);
      ReferenceTrie reference = new ReferenceTrie();
      List<Digest> known = new ArrayList<>();
      int messages = 0;
      int calls = 0;
      for (int count : new int[] {1, 2, 100, 300, 50}) {
        Map<Digest, byte[]> pairs = Tries.pairs(known, count, random);
        pairs.forEach((key, value) -> reference.put(key.toArray(), value));
        assertThat(trie.apply(Tries.batch(pairs), way)).isEqualTo(reference.root());
        int[] levels = new int[NodeLevels.DEPTHS];
        Node root = Objects.requireNonNull(trie.view().node());
        count(root, 0, root.epoch, levels);
        messages += IntStream.of(levels).sum();
        calls += IntStream.of(levels).map(PhaseHashTest::calls).sum();
        assertThat(device.messages()).as("%s", way).isEqualTo(messages);
        if (workers.count() == 1) {
          assertThat(device.calls()).isEqualTo(calls);
        }
      }
      assertThat(device.lent()).isPositive();
    }
    assertThat(device.lent()).isZero();
  }

  private static PatriciaStore store(Workers workers, BatchHasher hasher) throws Exception {
    return PatriciaStore.restore(
        new InMemoryDisk(),
        new InMemoryMetaStore(),
        workers,
        hasher,
        SlotLimits.DEFAULT,
        Integer.MAX_VALUE);
  }

  private static int calls(int messages) {
    return Math.ceilDiv(messages, BatchHasher.cpu().callMessages());
  }

  /// Adds the nodes of an edit to their levels: a node is at least as young as those below it.
  private static void count(Node node, int depth, long epoch, int[] levels) {
    if (node.epoch == epoch) {
      levels[depth]++;
      if (node instanceof Inner inner) {
        int below =
            depth + (inner instanceof ExtensionNode extension ? extension.nibbles.length : 1);
        for (int i = 0; i < inner.children.length; i++) {
          Node child = inner.child(i);
          if (child != null) {
            count(child, below, epoch, levels);
          }
        }
      }
    }
  }
}
