package io.tallystick.merkle.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Goal: a proof of several keys answers of each what a proof of it alone answers, and has one
/// encoding. Method: proofs of random histories by the definition; each byte of them changed; parts
/// that show what other keys meet; partitions more and less.
class StateLookupsTest {
  private static final int BLOCKS = 120;

  @Seeded(runs = 2, longRuns = 20)
  void answersOfEachKeyWhatAProofOfItAloneAnswers(SplittableRandom random) throws Exception {
    ForestHistory history = new ForestHistory(random);
    ReferenceForest forest = new ReferenceForest(history.params());
    int older = 0;
    for (long height = 1; height <= BLOCKS; height++) {
      forest.apply(height, history.block());
      StateRoot root = new StateRoot(forest.root());
      List<Bytes> keys = keys(history, 2 + random.nextInt(20));
      StateLookups proof = ReferenceForestProofs.lookups(forest, keys);
      older += proof.first() > 0 ? 1 : 0;
      List<StateAnswer> want = new ArrayList<>();
      for (Bytes key : keys) {
        want.add(ReferenceForestProofs.lookup(forest, key).verify(key, root, height));
      }
      assertThat(decode(encoded(proof)).verify(keys, root, height)).isEqualTo(want);
    }
    assertThat(older).as("proofs that end before the oldest partition").isPositive();
  }

  private static List<Bytes> keys(ForestHistory history, int count) {
    TreeSet<Bytes> keys = new TreeSet<>();
    while (keys.size() < count) {
      keys.add(history.key());
    }
    return List.copyOf(keys);
  }

  @Seeded(runs = 3, longRuns = 10)
  void refusesEveryChangedByte(SplittableRandom random) {
    ForestHistory history = new ForestHistory(random);
    ReferenceForest forest = grown(history);
    StateRoot root = new StateRoot(forest.root());
    List<Bytes> keys = keys(history, 4);
    byte[] good = encoded(ReferenceForestProofs.lookups(forest, keys));
    for (int at = 0; at < good.length; at++) {
      byte[] changed = good.clone();
      changed[at] ^= (byte) (1 + random.nextInt(255));
      assertThatThrownBy(() -> decode(changed).verify(keys, root, BLOCKS))
          .as("byte %d changed", at)
          .isInstanceOfAny(ProofRejectedException.class, MalformedException.class);
    }
  }

  @Seeded(runs = 3, longRuns = 10)
  void refusesPartsThatShowWhatOtherKeysMeet(SplittableRandom random) {
    ForestHistory history = new ForestHistory(random);
    ReferenceForest forest = grown(history);
    StateRoot root = new StateRoot(forest.root());
    List<Bytes> keys = keys(history, 6);
    StateLookups good = ReferenceForestProofs.lookups(forest, keys);
    List<List<Bytes>> sought = ReferenceForestProofs.soughtIn(forest, keys);
    for (int part = 0; part < sought.size(); part++) {
      for (List<Bytes> other : List.of(keys(history, 5), keys, keys.subList(0, 3))) {
        List<List<Bytes>> wrong = new ArrayList<>(sought);
        wrong.set(part, other);
        StateLookups forged = ReferenceForestProofs.lookupsOf(forest, wrong);
        if (!forged.equals(good)) {
          assertRefused(forged, keys, root);
        }
      }
    }
    assertRefused(
        ReferenceForestProofs.lookupsOf(forest, sought.subList(1, sought.size())), keys, root);
  }

  @Seeded(runs = 2, longRuns = 10)
  void refusesAPartitionMore(SplittableRandom random) {
    ForestHistory history = new ForestHistory(random);
    ReferenceForest forest = grown(history);
    StateRoot root = new StateRoot(forest.root());
    int tried = 0;
    for (int i = 0; i < 20; i++) {
      List<Bytes> keys = keys(history, 2);
      List<List<Bytes>> sought = ReferenceForestProofs.soughtIn(forest, keys);
      if (ReferenceForestProofs.lookups(forest, keys).first() > 0) {
        for (List<Bytes> shown : List.of(keys, keys.subList(0, 1), List.<Bytes>of())) {
          List<List<Bytes>> more = new ArrayList<>(sought);
          more.addFirst(shown);
          assertRefused(ReferenceForestProofs.lookupsOf(forest, more), keys, root);
          tried++;
        }
      }
    }
    assertThat(tried).as("proofs that end before the oldest partition").isPositive();
  }

  private static void assertRefused(StateLookups forged, List<Bytes> keys, StateRoot root) {
    assertThatThrownBy(() -> decode(encoded(forged)).verify(keys, root, BLOCKS))
        .isInstanceOf(ProofRejectedException.class);
  }

  @Test
  void refusesMoreTreesThanAProofMayHave() throws Exception {
    assertThat(decode(manyTrees(StateLookups.TREES_MAX)).parts())
        .hasSize(StateLookups.TREES_MAX / 2);
    assertThatThrownBy(() -> decode(manyTrees(StateLookups.TREES_MAX + 2)))
        .isInstanceOf(MalformedException.class)
        .hasMessage("more than 65536 trees");
  }

  /// Parts of two trees each.
  private static byte[] manyTrees(int trees) {
    CborWriter out = new CborWriter().array(4).uint(0).uint(0).array(0).array(trees / 2);
    for (int i = 0; i < trees / 2; i++) {
      out.array(2).bytes(Bytes.EMPTY);
      out.array(5).uint(1).uint(2);
      new Separators(List.of(Bytes.utf8("a"))).encodeInto(out);
      out.array(1).array(2).uint(1);
      out.array(5).uint(0).uint(1);
      new Separators(List.of()).encodeInto(out);
      out.array(0).array(0).array(0);
    }
    return out.toArray();
  }

  private static ReferenceForest grown(ForestHistory history) {
    ReferenceForest forest = new ReferenceForest(history.params());
    for (long height = 1; height <= BLOCKS; height++) {
      forest.apply(height, history.block());
    }
    return forest;
  }

  private static byte[] encoded(StateLookups lookups) {
    CborWriter out = new CborWriter().array(4);
    lookups.encodeInto(out);
    return out.toArray();
  }

  private static StateLookups decode(byte[] encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("lookups", 4);
    StateLookups lookups = StateLookups.decode(in);
    in.end();
    return lookups;
  }
}
