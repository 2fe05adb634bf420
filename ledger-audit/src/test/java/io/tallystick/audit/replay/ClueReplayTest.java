package io.tallystick.audit.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.merkle.patricia.ClueRoot;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.patricia.ReferenceTrie;
import io.tallystick.testkit.reference.ReferenceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the replayed root is that of the definition, however little memory there is. Method: the
/// recursive trie over the recursive trees, after every entry of random clues, whose keys are given
/// long common beginnings.
class ClueReplayTest {
  private static final long NO_MEMORY = 0;
  private static final long LITTLE = 20_000;
  private static final long ENOUGH = 1L << 30;

  @TempDir private Path folder;

  /// What a journal adds to a clue: its key, and its entry in the clue's tree.
  private record Entry(Digest key, Digest leafHash) {
    byte[] bytes() {
      byte[] bytes = new byte[2 * Digest.BYTES];
      key.copyInto(bytes, 0);
      new ReferenceTree(List.of(leafHash.toBytes())).root(1).copyInto(bytes, Digest.BYTES);
      return bytes;
    }
  }

  private static Digest random(SplittableRandom random) {
    byte[] bytes = new byte[Digest.BYTES];
    random.nextBytes(bytes);
    return Digest.of(bytes);
  }

  /// A key that begins as another does, often for long.
  private static Digest near(Digest other, SplittableRandom random) {
    byte[] bytes = random(random).toArray();
    int shared = random.nextInt(2 * Digest.BYTES);
    System.arraycopy(other.toArray(), 0, bytes, 0, shared / 2);
    if (shared % 2 == 1) {
      int at = shared / 2;
      bytes[at] = (byte) ((other.toArray()[at] & 0xf0) | (bytes[at] & 0x0f));
    }
    return Digest.of(bytes);
  }

  private static List<Entry> entries(SplittableRandom random, int count) {
    List<Digest> keys = new ArrayList<>(List.of(random(random)));
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Digest known = keys.get(random.nextInt(keys.size()));
      Digest key =
          switch (random.nextInt(3)) {
            case 0 -> known;
            case 1 -> near(known, random);
            default -> random(random);
          };
      keys.add(key);
      entries.add(new Entry(key, random(random)));
    }
    return entries;
  }

  private ClueReplay replay(long bytesMax) {
    return new ClueReplay(new ReplayMemory(bytesMax, folder));
  }

  @Seeded(runs = 8)
  void hasTheRootOfTheDefinitionAfterEveryEntry(SplittableRandom random) throws Exception {
    List<Entry> entries = entries(random, 300);
    Reference want = new Reference();
    try (ClueReplay none = replay(NO_MEMORY);
        ClueReplay little = replay(LITTLE);
        ClueReplay enough = replay(ENOUGH)) {
      for (int i = 0; i < entries.size(); i++) {
        long deletedJsn = random.nextInt(4) == 0 ? 1000L + i : 0;
        want.enter(entries.get(i), deletedJsn);
        for (ClueReplay replay : List.of(none, little, enough)) {
          apply(replay, entries.get(i), deletedJsn);
          assertThat(replay.root()).as("entry %d", i).isEqualTo(want.trie.root());
          assertThat(replay.clues()).isEqualTo(want.trie.size());
        }
      }
      assertThat(none.spilledBytes()).isPositive();
      assertThat(little.spilledBytes()).isPositive();
      assertThat(enough.spilledBytes()).isZero();
    }
  }

  private static void apply(ClueReplay replay, Entry entry, long deletedJsn) throws IOException {
    replay.append(entry.bytes(), 0, Digest.BYTES, deletedJsn);
  }

  /// The definition, recomputed from all entries.
  private static final class Reference {
    private final ReferenceTrie trie = new ReferenceTrie();
    private final Map<Digest, List<Bytes>> clues = new HashMap<>();

    void enter(Entry entry, long deletedJsn) {
      List<Bytes> leaves = clues.computeIfAbsent(entry.key, _ -> new ArrayList<>());
      leaves.add(entry.leafHash.toBytes());
      Digest root = new ReferenceTree(leaves).root(leaves.size());
      trie.put(
          entry.key.toArray(), new ClueValue(leaves.size(), root, deletedJsn).encode().toArray());
    }
  }

  @Test
  void isTheEmptyTrieBeforeTheFirstClue() throws Exception {
    try (ClueReplay replay = replay(ENOUGH)) {
      assertThat(replay.root()).isEqualTo(ClueRoot.EMPTY.digest());
      assertThat(replay.clues()).isZero();
    }
  }

  @Test
  void keepsItsMemoryWithinBoundsHoweverManyCluesThereAre() throws Exception {
    SplittableRandom random = new SplittableRandom(2);
    List<Digest> keys = new ArrayList<>();
    long budget = 200_000;
    try (ClueTrie trie = new ClueTrie(new ReplayMemory(budget, folder));
        ClueReplay spilling = new ClueReplay(trie);
        ClueReplay enough = replay(ENOUGH)) {
      for (int i = 0; i < 30_000; i++) {
        keys.add(random(random));
        Digest key = keys.get(random.nextInt(keys.size()));
        Entry entry = new Entry(key, random(random));
        apply(spilling, entry, 0);
        apply(enough, entry, 0);
        assertThat(trie.bytes()).as("entry %d", i).isLessThanOrEqualTo(budget);
      }
      assertThat(spilling.root()).isEqualTo(enough.root());
      assertThat(spilling.clues()).isEqualTo(enough.clues());
      assertThat(spilling.spilledBytes()).isPositive();
    }
  }

  /// Half of all keys begin with the same ten nibbles: a part of the trie without width.
  @Test
  void keepsItsMemoryWithinBoundsWhereKeysWereChosenToBeAlike() throws Exception {
    SplittableRandom random = new SplittableRandom(3);
    long budget = 100_000;
    try (ClueTrie trie = new ClueTrie(new ReplayMemory(budget, folder));
        ClueReplay spilling = new ClueReplay(trie);
        ClueReplay enough = replay(ENOUGH)) {
      for (int i = 0; i < 5_000; i++) {
        byte[] key = random(random).toArray();
        if (i % 2 == 0) {
          Arrays.fill(key, 0, 5, (byte) 0xab);
        }
        Entry entry = new Entry(Digest.of(key), random(random));
        apply(spilling, entry, 0);
        apply(enough, entry, 0);
        assertThat(trie.bytes()).as("entry %d", i).isLessThanOrEqualTo(budget);
      }
      assertThat(spilling.root()).isEqualTo(enough.root());
    }
  }

  @Test
  void leavesNoFileBehind() throws Exception {
    SplittableRandom random = new SplittableRandom(4);
    try (ClueReplay replay = replay(NO_MEMORY)) {
      for (Entry entry : entries(random, 100)) {
        apply(replay, entry, 0);
      }
      assertThat(replay.spilledBytes()).isPositive();
    }
    try (var names = Files.list(folder)) {
      assertThat(names).isEmpty();
    }
  }

  @Test
  void saysThatItCannotSpillWhereThereCanBeNoFolder() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    Files.createFile(folder.resolve("none"));
    try (ClueReplay replay = new ClueReplay(new ReplayMemory(0, folder.resolve("none")))) {
      assertThatThrownBy(
              () -> {
                for (Entry entry : entries(random, 100)) {
                  apply(replay, entry, 0);
                }
              })
          .isInstanceOf(IOException.class);
    }
  }
}
