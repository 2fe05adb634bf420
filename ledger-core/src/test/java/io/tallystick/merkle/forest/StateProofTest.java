package io.tallystick.merkle.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: the verifiers of the state accept what follows from the definition of the forest, and
/// nothing else. Method: proofs of random histories, which must answer what a sorted map holds; the
/// same proofs with each byte changed, and with a partition more or less.
class StateProofTest {
  private static final int BLOCKS = 120;
  private static final int BLOCKS_MAX = 20 * BLOCKS;

  @Test
  void emptyRootIsThatOfSealsWithoutState() {
    assertThat(StateRoot.EMPTY.digest()).isEqualTo(SealLeaf.EMPTY_STATE_ROOT);
    ForestHistory history = new ForestHistory(new SplittableRandom(1));
    assertThat(new ReferenceForest(history.params()).root()).isEqualTo(SealLeaf.EMPTY_STATE_ROOT);
  }

  @Seeded(runs = 4, longRuns = 20)
  void answersWhatTheModelHolds(SplittableRandom random) throws Exception {
    ForestHistory history = new ForestHistory(random);
    ReferenceForest forest = new ReferenceForest(history.params());
    boolean folded = false;
    // Some histories fold late.
    for (long height = 1; height <= BLOCKS || (!folded && height <= BLOCKS_MAX); height++) {
      forest.apply(height, history.block());
      StateRoot root = new StateRoot(forest.root());
      folded |= !forest.knowsAll();
      for (int i = 0; i < 4; i++) {
        checkLookup(forest, history, root, height);
      }
      checkRange(forest, history, root, height);
    }
    assertThat(folded).as("a partition was folded").isTrue();
    // The bound of forest.md on what a fold leaves, loosely: small partitions round it up.
    assertThat(forest.entryCount()).isLessThan(4L * history.keyCount() + 10 * 64);
  }

  private static void checkLookup(
      ReferenceForest forest, ForestHistory history, StateRoot root, long height) throws Exception {
    Bytes key = history.key();
    byte[] encoded = encoded(ReferenceForestProofs.lookup(forest, key));
    StateAnswer answer = decodeLookup(encoded).verify(key, root, height);
    Optional<StateEntry> want = history.newest(key);
    switch (answer) {
      case StateAnswer.Present(StateEntry entry) -> {
        assertThat(want).contains(entry);
        assertThat(entry.isPresent()).isTrue();
      }
      case StateAnswer.Deleted(StateEntry entry) -> {
        assertThat(want).contains(entry);
        assertThat(entry.isPresent()).isFalse();
      }
      case StateAnswer.Absent(Bytes named, boolean neverWritten) -> {
        assertThat(named).isEqualTo(key);
        assertThat(want.filter(StateEntry::isPresent)).isEmpty();
        assertThat(neverWritten).isEqualTo(forest.knowsAll());
      }
    }
  }

  private static void checkRange(
      ReferenceForest forest, ForestHistory history, StateRoot root, long height) throws Exception {
    Bytes from = history.key();
    Bytes other = history.key();
    Optional<Bytes> to = from.compareTo(other) < 0 ? Optional.of(other) : Optional.empty();
    byte[] encoded = encoded(ReferenceForestProofs.range(forest, from, to));
    assertThat(decodeRange(encoded).verify(from, to, root, height))
        .isEqualTo(history.present(from, to));
  }

  @Seeded(runs = 3, longRuns = 10)
  void refusesEveryChangedByteOfAProof(SplittableRandom random) throws Exception {
    ForestHistory history = new ForestHistory(random);
    ReferenceForest forest = grown(history);
    StateRoot root = new StateRoot(forest.root());
    Bytes key = history.key();
    byte[] lookup = encoded(ReferenceForestProofs.lookup(forest, key));
    byte[] range = encoded(ReferenceForestProofs.range(forest, key, Optional.empty()));
    for (int at = 0; at < lookup.length; at++) {
      byte[] changed = changed(lookup, at, random);
      assertRefused(() -> decodeLookup(changed).verify(key, root, BLOCKS), "lookup", at);
    }
    for (int i = 0; i < 500; i++) {
      int at = random.nextInt(range.length);
      byte[] changed = changed(range, at, random);
      assertRefused(
          () -> decodeRange(changed).verify(key, Optional.empty(), root, BLOCKS), "range", at);
    }
  }

  @Seeded(runs = 3, longRuns = 10)
  void refusesALookupThatSearchesTooFewOrTooMany(SplittableRandom random) {
    ForestHistory history = new ForestHistory(random);
    ReferenceForest forest = grown(history);
    StateRoot root = new StateRoot(forest.root());
    for (int i = 0; i < 20; i++) {
      Bytes key = history.key();
      StateLookup right = ReferenceForestProofs.lookup(forest, key);
      for (int first = 0; first < right.count(); first++) {
        if (first != right.first()) {
          StateLookup wrong = ReferenceForestProofs.lookup(forest, key, first);
          assertThatThrownBy(() -> wrong.verify(key, root, BLOCKS))
              .as("searches from %d, want %d", first, right.first())
              .isInstanceOf(ProofRejectedException.class);
        }
      }
    }
  }

  private static ReferenceForest grown(ForestHistory history) {
    ReferenceForest forest = new ReferenceForest(history.params());
    for (long height = 1; height <= BLOCKS; height++) {
      forest.apply(height, history.block());
    }
    return forest;
  }

  private interface Check {
    void run() throws Exception;
  }

  private static void assertRefused(Check check, String what, int at) {
    assertThatThrownBy(check::run)
        .as("%s with byte %d changed", what, at)
        .isInstanceOfAny(ProofRejectedException.class, MalformedException.class);
  }

  private static byte[] changed(byte[] bytes, int at, SplittableRandom random) {
    byte[] changed = bytes.clone();
    changed[at] ^= (byte) (1 + random.nextInt(255));
    return changed;
  }

  private static byte[] encoded(StateLookup lookup) {
    CborWriter out = new CborWriter().array(4);
    lookup.encodeInto(out);
    return out.toArray();
  }

  private static byte[] encoded(StateRange range) {
    CborWriter out = new CborWriter().array(2);
    range.encodeInto(out);
    return out.toArray();
  }

  private static StateLookup decodeLookup(byte[] encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("lookup", 4);
    StateLookup lookup = StateLookup.decode(in);
    in.end();
    return lookup;
  }

  private static StateRange decodeRange(byte[] encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("range", 2);
    StateRange range = StateRange.decode(in);
    in.end();
    return range;
  }
}
