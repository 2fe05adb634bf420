package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.model.Bytes;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Locale;

/// How long is a proof without its seal, and how long does it take to verify it, beside its bare
/// hashes? A present key where one partition holds all keys, and a key that was never put where ten
/// do: each of them is then searched. The textbook tree's proof stands beside.
final class ProofCase {
  private static final int SAMPLES_MAX = 1_000;
  private static final int GETS_OF_SAMPLE = 10;
  private static final int ROUNDS = 20;
  private static final double ONE_WANTED_BYTES = 1.5 * 1024;
  private static final double MANY_WANTED_BYTES = 15 * 1024;
  private static final double VERIFY_WANTED = 3;
  private static final int MESSAGE_BYTES_MAX = 1 << 19;

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;
  private final StateLoad load;
  private final int sampleCount;
  private final Figures figures = new Figures();

  ProofCase(Home home, StateSizes sizes, Narrator say) {
    this.home = home;
    this.sizes = sizes;
    this.say = say;
    this.load = new StateLoad(sizes.seed(), StateSizes.SMALL_VALUE_BYTES);
    this.sampleCount = Math.clamp(sizes.gets() / GETS_OF_SAMPLE, 1, SAMPLES_MAX);
  }

  List<BenchCase> measure() throws Exception {
    forest("proof-one", sizes.shipped(), sizes.keys(), true);
    tree();
    forest("proof-many", sizes.scaled(sizes.largeKeys()), sizes.largeKeys(), false);
    return List.of(
        figures.wanted("proof-one", "B", ONE_WANTED_BYTES),
        figures.spread("proof-one-largest", "B"),
        figures.spread("proof-tree", "B"),
        figures.wanted("proof-many", "B", MANY_WANTED_BYTES),
        figures.spread("proof-many-largest", "B"),
        figures.spread("proof-one-verify", "ns"),
        figures.spread("proof-many-verify", "ns"),
        figures.ratio(
            "proof-one-verify-ratio", "proof-one-verify", "proof-one-hashes", VERIFY_WANTED),
        figures.ratio(
            "proof-many-verify-ratio", "proof-many-verify", "proof-many-hashes", VERIFY_WANTED));
  }

  private void forest(String name, ForestSettings settings, int keys, boolean present)
      throws Exception {
    Path folder = home.fresh();
    try (ForestContender ours = new ForestContender(folder, settings)) {
      new Writing(ours, load, sizes.batch()).insert(0, keys);
      ours.settle();
      figures.under(ours, name, name + "-largest", name + "-verify");
      List<Sample> samples = new ArrayList<>();
      IntSummaryStatistics bytes = new IntSummaryStatistics();
      long partitions = 0;
      for (int i = 0; i < sampleCount; i++) {
        Bytes key = present ? load.key((int) ((long) i * keys / sampleCount)) : load.absentKey(i);
        StateLookup lookup = ours.lookup(key);
        Sample sample =
            new Sample(key, ForestContender.encode(lookup), ProofCheck.messages(lookup), present);
        samples.add(sample);
        bytes.accept(sample.proof.size());
        partitions = lookup.count();
      }
      figures.add(name, bytes.getAverage());
      figures.add(name + "-largest", bytes.getMax());
      verify(name, ours, samples);
      say.say(
          String.format(
              Locale.ROOT,
              "  %s: %,d keys in %d partitions, %,.0f B, at most %,d",
              name,
              keys,
              partitions,
              bytes.getAverage(),
              bytes.getMax()));
    }
    Home.delete(folder);
  }

  private static final class Sample {
    private final Bytes key;
    private final Bytes proof;
    private final int[] messages;
    private final boolean present;

    private Sample(Bytes key, Bytes proof, int[] messages, boolean present) {
      this.key = key;
      this.proof = proof;
      this.messages = messages;
      this.present = present;
    }

    private void verify(ForestContender ours) throws Exception {
      if (present) {
        ProofCheck.requirePresent(ours.verify(key, proof));
      } else {
        ProofCheck.requireAbsent(ours.verify(key, proof));
      }
    }
  }

  /// Verifications and bare hashes by turns, in short rounds; the first repetition warms up.
  private void verify(String name, ForestContender ours, List<Sample> samples) throws Exception {
    byte[] buffer = new byte[MESSAGE_BYTES_MAX];
    MessageDigest sha = Sha256.newDigest();
    for (int run = -1; run < sizes.repetitions(); run++) {
      double[] verify = new double[ROUNDS];
      double[] hashes = new double[ROUNDS];
      for (int round = 0; round < ROUNDS; round++) {
        long started = System.nanoTime();
        for (Sample sample : samples) {
          sample.verify(ours);
        }
        long verified = System.nanoTime();
        for (Sample sample : samples) {
          ProofCheck.hash(sample.messages, sha, buffer);
        }
        verify[round] = (double) (verified - started) / sampleCount;
        hashes[round] = (double) (System.nanoTime() - verified) / sampleCount;
      }
      if (run >= 0) {
        figures.add(name + "-verify", BenchCase.median(verify));
        figures.add(name + "-hashes", BenchCase.median(hashes));
      }
    }
  }

  private void tree() throws Exception {
    Path folder = home.fresh();
    try (TreeContender tree = new TreeContender(folder, sizes.memoryBytes())) {
      new Writing(tree, load, sizes.batch()).insert(0, sizes.keys());
      figures.under(tree, "proof-tree");
      long bytes = 0;
      for (int i = 0; i < sampleCount; i++) {
        int index = (int) ((long) i * sizes.keys() / sampleCount);
        bytes += tree.proof(load.key(index)).orElseThrow().size();
      }
      figures.add("proof-tree", (double) bytes / sampleCount);
    }
    Home.delete(folder);
  }
}
