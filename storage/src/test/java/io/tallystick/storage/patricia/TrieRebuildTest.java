package io.tallystick.storage.patricia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A trie that is filled again beside the one it will replace harms neither that one, until a
/// savepoint holds the new, nor those of other strands; its slots and the old one's are used again.
final class TrieRebuildTest {
  private static final int ROUNDS = Effort.of(6, 10);
  private static final int NODES_MAX = 30;
  private static final StrandId OTHER = Tries.strand(1);

  private final Workers workers = new Workers(1, "rebuild");
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final List<Map<Digest, byte[]>> batches = new ArrayList<>();
  private final List<Digest> known = new ArrayList<>();
  private final ReferenceTrie whole = new ReferenceTrie();

  @BeforeEach
  void makeTries() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    try (Tries tries = open(disk, meta)) {
      PatriciaTrie other = tries.store().trie(OTHER);
      for (int round = 0; round < ROUNDS; round++) {
        Map<Digest, byte[]> batch = Tries.pairs(known, 25, random);
        batches.add(batch);
        batch.forEach((key, value) -> whole.put(key.toArray(), value));
        tries.trie().apply(Tries.batch(batch));
        other.apply(Tries.batch(batch));
        tries.savepoint(tries.trie(), other);
      }
    }
  }

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private Tries open(Disk onDisk, MetaStore inMeta) throws IOException, CorruptStreamException {
    return Tries.open(onDisk, inMeta, workers, NODES_MAX);
  }

  /// What the last batch made waits for the savepoint.
  private PatriciaTrie filled(Tries tries) throws Exception {
    PatriciaTrie trie = tries.store().startOver(Tries.STRAND);
    for (Map<Digest, byte[]> batch : batches) {
      trie.spill();
      assertThat(trie.nodesInMemory()).isZero();
      trie.apply(Tries.batch(batch));
    }
    return trie;
  }

  /// Other values for the keys of the last batch.
  private Map<Digest, byte[]> changed(int number) {
    Map<Digest, byte[]> batch = new LinkedHashMap<>(batches.getLast());
    batch.replaceAll((_, value) -> {
      byte[] other = value.clone();
      other[5] += (byte) (1 + number);
      return other;
    });
    return batch;
  }

  private void assertHolds(PatriciaTrie trie) throws Exception {
    assertThat(trie.view().root()).isEqualTo(whole.root());
    try (TrieView.Reader reader = trie.view().open().orElseThrow()) {
      assertThatHolds(reader);
    }
  }

  private void assertThatHolds(TrieView.Reader reader) throws Exception {
    for (Digest key : known) {
      assertThat(reader.get(key)).isEqualTo(whole.get(key.toArray()));
    }
  }

  @Test
  void takesTheOldOnesPlaceAndGivesItsSlotsUp() throws Exception {
    try (Tries tries = open(disk, meta)) {
      long live = tries.store().slots().liveBytes();
      TrieView old = tries.trie().view();
      TrieView.Reader reader = old.open().orElseThrow();
      PatriciaTrie trie = filled(tries);
      assertThat(tries.store().slots().liveBytes()).as("both").isLessThan(live * 8 / 5);
      assertThat(publish(tries, trie)).isZero();
      assertThat(tries.trie()).isSameAs(trie);
      tries.savepoint(trie);
      for (int i = 0; i < 4; i++) {
        trie.apply(Tries.batch(changed(i)));
        tries.savepoint(trie);
        assertThatHolds(reader);
      }
      reader.close();
      trie.apply(Tries.batch(batches.getLast()));
      tries.savepoint(trie);
      assertThat(old.open()).isEmpty();
      assertThat(tries.store().slots().liveBytes()).isBetween(live * 9 / 10, live * 11 / 10);
      assertHolds(trie);
    }
    try (Tries tries = open(disk, meta)) {
      assertHolds(tries.trie());
      assertHolds(tries.store().trie(OTHER));
    }
  }

  @Test
  void namesTheDamagedNodeAndGivesUpTheSlotsOfAllOthers() throws Exception {
    String root = "patricia/640.slots";
    byte[] zeros = new byte[640];
    int step = Effort.of(7, 1) * 640;
    for (long at = disk.size(root) - 640; at >= 0; at -= step) {
      InMemoryDisk damaged = disk.copy();
      damaged.overwrite(root, at, zeros);
      InMemoryMetaStore rows = meta.copy();
      try (Tries tries = open(damaged, rows)) {
        String where = root + " at " + at;
        long lost = 0;
        try {
          tries.trie().apply(Tries.batch(batches.getFirst()));
          tries.trie().apply(Tries.batch(batches.getLast()));
        } catch (CorruptStreamException e) {
          assertThat(e).hasMessageContaining(where);
          lost = 1;
        }
        PatriciaTrie trie = filled(tries);
        assertThat(publish(tries, trie)).isGreaterThanOrEqualTo(lost);
        tries.savepoint(trie);
        assertHolds(trie);
      }
      try (Tries tries = open(damaged, rows)) {
        assertHolds(tries.trie());
      }
    }
  }

  @Test
  void opensEmptyOnceErasedWhateverTheSlotsAre() throws Exception {
    disk.open("patricia/96.slots").truncate(96);
    assertThatThrownBy(() -> open(disk, meta)).isInstanceOf(CorruptStreamException.class);
    MetaBatch batch = new MetaBatch();
    PatriciaStore.erase(meta, batch);
    meta.write(batch);
    PatriciaStore.deleteFiles(disk);
    meta.scan(
        Bytes.EMPTY,
        null,
        (key, _) -> {
          throw new AssertionError("row left: " + key);
        });
    assertThat(disk.names()).isEmpty();
    try (Tries tries = open(disk, meta)) {
      assertThat(tries.trie().view().root()).isEqualTo(TrieView.EMPTY_ROOT);
      PatriciaTrie trie = filled(tries);
      assertThat(publish(tries, trie)).isZero();
      tries.savepoint(trie);
    }
    try (Tries tries = open(disk, meta)) {
      assertHolds(tries.trie());
    }
  }

  /// An empty trie in the place of one that should not be there.
  @Test
  void anEmptyOneTakesTheRowAway() throws Exception {
    try (Tries tries = open(disk, meta)) {
      PatriciaTrie empty = tries.store().startOver(Tries.STRAND);
      assertThat(publish(tries, empty)).isZero();
      tries.savepoint(empty);
    }
    try (Tries tries = open(disk, meta)) {
      assertThat(tries.trie().view().root()).isEqualTo(TrieView.EMPTY_ROOT);
      assertHolds(tries.store().trie(OTHER));
    }
  }

  @Test
  void leavesTheOldOneAsItWasWhereverItCrashes() throws Exception {
    CrashPlan clean = CrashPlan.never();
    run(new CrashingDisk(disk, clean), new CrashingMetaStore(meta, clean));
    assertThat(clean.operations()).isGreaterThan(ROUNDS);
    for (int at = 0; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, new SplittableRandom(at));
      CrashingDisk crashing = new CrashingDisk(disk, plan);
      CrashingMetaStore rows = new CrashingMetaStore(meta, plan);
      assertThatThrownBy(() -> run(crashing, rows)).isInstanceOf(IOException.class);
      InMemoryDisk left = crashing.afterCrash();
      InMemoryMetaStore leftRows = rows.afterCrash();
      try (Tries tries = open(left, leftRows)) {
        assertHolds(tries.trie());
        assertHolds(tries.store().trie(OTHER));
      }
      run(left, leftRows);
      try (Tries tries = open(left, leftRows)) {
        assertHolds(tries.trie());
        assertHolds(tries.store().trie(OTHER));
      }
    }
  }

  /// The row of another strand's trie in this one's place must not cost that one its slots.
  @Test
  void givesUpNothingOfATrieWithAnotherRoot() throws Exception {
    try (Tries tries = open(disk, meta)) {
      Digest sealed = Digest.of(new byte[Digest.BYTES]);
      long live = tries.store().slots().liveBytes();
      PatriciaTrie trie = filled(tries);
      assertThat(tries.store().publish(trie, sealed)).isEqualTo(-1);
      tries.savepoint(trie);
      assertThat(tries.store().slots().liveBytes()).isGreaterThan(live);
    }
  }

  private static long publish(Tries tries, PatriciaTrie trie) throws Exception {
    return tries.store().publish(trie, tries.trie().view().root());
  }

  private void run(Disk onDisk, MetaStore inMeta) throws Exception {
    try (Tries tries = open(onDisk, inMeta)) {
      PatriciaTrie trie = filled(tries);
      publish(tries, trie);
      tries.savepoint(trie);
      trie.apply(Tries.batch(batches.getLast()));
      tries.savepoint(trie);
    }
  }
}
