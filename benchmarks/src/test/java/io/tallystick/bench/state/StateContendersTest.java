package io.tallystick.bench.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the contenders hold the same state, and what is compared with them is what was written.
/// Method: one random load for all three, every key read from each.
class StateContendersTest {
  private static final int KEYS = 2_000;
  private static final int INSERTS = 8;
  private static final int UPDATES = 20;
  private static final int BATCHES = INSERTS + UPDATES;
  private static final long MEMORY = 8 << 20;
  private static final int SAVED = 8;
  private static final int SELDOM = 100_000;

  @TempDir private Path folder;

  private final StateLoad load = new StateLoad(9, 50);
  private final SplittableRandom random = new SplittableRandom(9);
  private final int[] versions = new int[KEYS];

  private ForestContender forest(int savepointOperations) throws Exception {
    return new ForestContender(
        folder.resolve("ours"),
        ForestSettings.shipped(1 << 20)
            .with(StateParams.of(300, 40, 32))
            .withSavepointEvery(savepointOperations)
            .withVersions(SAVED));
  }

  @Test
  void allAnswerTheSame() throws Exception {
    try (ForestContender ours = forest(700);
        TreeContender tree = new TreeContender(folder.resolve("tree"), MEMORY);
        RocksContender rocks = new RocksContender(folder.resolve("rocks"), MEMORY)) {
      List<StateContender> all = List.of(ours, tree, rocks);
      assertThat(putAll(all))
          .as("a root for each batch of two, none of RocksDB")
          .hasSize(2 * BATCHES + 1);
      for (StateContender each : all) {
        each.settle();
        for (int i = 0; i < KEYS; i++) {
          Optional<Bytes> value = each.get(load.key(i));
          assertThat(load.matches(i, versions[i], value.orElseThrow())).isTrue();
        }
        assertThat(each.get(load.absentKey(0))).isEmpty();
        assertThat(each.spaceBytes()).isPositive();
        assertThat(each.cacheOfIndex()).isPositive();
      }
      for (int length : new int[] {1, 7, 100, 2 * KEYS}) {
        Bytes from = length == 7 ? load.absentKey(7) : load.key(length);
        List<Found> found = ours.range(from, length);
        assertThat(found).isEqualTo(tree.range(from, length)).isEqualTo(rocks.range(from, length));
        assertThat(found).hasSizeLessThanOrEqualTo(length).isNotEmpty();
        assertThat(found).allMatch(each -> load.matches(each.key(), each.value()));
      }
      assertThat(ours.pageBytes()).isPositive();
      assertThat(rocks.proof(load.key(0))).isEmpty();
    }
  }

  /// @return the roots of all
  private Set<Optional<Digest>> putAll(List<StateContender> all) throws Exception {
    Set<Optional<Digest>> roots = new HashSet<>();
    for (int from = 0; from < KEYS; from += KEYS / INSERTS) {
      for (StateContender each : all) {
        roots.add(each.putBatch(load.range(from, from + KEYS / INSERTS, 0)));
      }
    }
    for (int i = 0; i < UPDATES; i++) {
      List<Put> updates = load.updates(random, 200, versions, KEYS);
      for (StateContender each : all) {
        roots.add(each.putBatch(updates));
      }
    }
    return roots;
  }

  @Test
  void oursProvesWhatItHoldsAndNoMore() throws Exception {
    try (ForestContender ours = forest(SELDOM)) {
      putAll(List.of(ours));
      for (int i = 0; i < KEYS; i += 7) {
        Bytes proof = ours.proof(load.key(i)).orElseThrow();
        assertThat(ours.verify(load.key(i), proof)).isInstanceOf(StateAnswer.Present.class);
        assertThatThrownBy(() -> ours.verify(load.absentKey(1), proof))
            .isInstanceOf(ProofRejectedException.class);
      }
      StateLookup absent = ours.lookup(load.absentKey(0));
      assertThat(absent.count()).isGreaterThan(2);
      assertThat(ours.verify(load.absentKey(0), ForestContender.encode(absent)))
          .isInstanceOf(StateAnswer.Absent.class);
    }
  }

  @Test
  void oursReadsOldVersionsUntilTheyArePruned() throws Exception {
    try (ForestContender ours = forest(1)) {
      putAll(List.of(ours));
      int[] before = versions.clone();
      for (int i = 0; i < 3; i++) {
        ours.putBatch(load.updates(random, 200, versions, KEYS));
      }
      assertThat(ours.savedVersions()).isEqualTo(SAVED + 1);
      ours.prune(4);
      assertThat(ours.savedVersions()).isEqualTo(SAVED - 3);
      ContenderReads old = ours.asOf(3);
      for (int i = 0; i < KEYS; i++) {
        assertThat(load.matches(i, before[i], old.get(load.key(i)).orElseThrow())).isTrue();
      }
      assertThat(Arrays.equals(before, versions)).isFalse();
    }
  }

  @Test
  void oursGoesBackAndOnFromThere() throws Exception {
    try (ForestContender ours = forest(1)) {
      putAll(List.of(ours));
      int[] before = versions.clone();
      for (int i = 0; i < 3; i++) {
        ours.putBatch(load.updates(random, 200, versions, KEYS));
      }
      ours.rollBack(3);
      for (int i = 0; i < KEYS; i++) {
        assertThat(load.matches(i, before[i], ours.get(load.key(i)).orElseThrow())).isTrue();
      }
      ours.putBatch(load.updates(random, 200, before, KEYS));
      ours.keepNewestAlone();
      assertThat(ours.savedVersions()).isEqualTo(1);
      assertThat(ours.space().index()).isPositive();
      for (int i = 0; i < KEYS; i++) {
        assertThat(load.matches(i, before[i], ours.get(load.key(i)).orElseThrow())).isTrue();
      }
    }
  }

  @Test
  void settingsNameWhatIsNotAsShipped() {
    ForestSettings shipped = ForestSettings.shipped(ForestSettings.shippedCacheBytes());
    assertThat(shipped.departures()).isEmpty();
    assertThat(shipped.with(StateParams.of(300, 40, 32)).departures()).isEqualTo("N_cap 300");
    assertThat(shipped.withSavepointEvery(7).withVersions(3).departures())
        .isEqualTo(
            "a savepoint in 7 operations, at most 3 older versions, older versions of any size");
    assertThat(ForestSettings.shipped(3 << 20).departures()).isEqualTo("a cache of 3.0 MiB");
  }

  @Test
  void oursChecksAValueAgainstItsCommitment() throws Exception {
    try (ForestContender ours = forest(SELDOM)) {
      ours.putBatch(load.range(0, 10, 0));
      assertThat(ours.get(load.key(3))).contains(load.put(3, 0).value());
      assertThat(changeOnDisk(folder.resolve("ours/data"), load.put(3, 0).value())).isEqualTo(1);
      assertThatThrownBy(() -> ours.get(load.key(3)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("does not open its commitment");
      assertThat(ours.get(load.key(4))).contains(load.put(4, 0).value());
    }
  }

  /// Changes the last byte of `sought` in every file that has it, and counts them.
  private static int changeOnDisk(Path folder, Bytes sought) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    String text = new String(sought.unsafeArray(), StandardCharsets.ISO_8859_1);
    int changed = 0;
    for (Path file : files) {
      byte[] bytes = Files.readAllBytes(file);
      int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
      if (at >= 0) {
        int last = at + sought.size() - 1;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.write(ByteBuffer.wrap(new byte[] {(byte) (bytes[last] ^ 1)}), last);
        }
        changed++;
      }
    }
    return changed;
  }

  @Test
  void aWrongValueIsNoMatchAndStopsAReader() throws Exception {
    Put put = load.put(1, 2);
    assertThat(load.matches(1, 2, put.value())).isTrue();
    assertThat(load.matches(1, 3, put.value())).isFalse();
    assertThat(load.matches(2, 2, put.value())).isFalse();
    byte[] changed = put.value().toArray();
    changed[49] ^= 1;
    assertThat(load.matches(1, 2, Bytes.wrap(changed))).isFalse();
    byte[] renumbered = put.value().toArray();
    renumbered[0] ^= 1;
    assertThat(load.matches(1, 2, Bytes.wrap(renumbered))).isFalse();
    assertThat(load.matches(1, 2, put.value().slice(0, 49))).isFalse();
    ContenderReads wrong = _ -> Optional.of(put.value());
    assertThatThrownBy(() -> ReadThreads.run(2, 10, ReadThreads.gets(wrong, load, KEYS, _ -> 0)))
        .hasMessageContaining("reads as");
  }
}
