package io.tallystick.testkit.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.forest.ForestRows;
import io.tallystick.storage.forest.ForestVersion;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.forest.StateForest;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.Location;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Goal: the verifier accepts what follows from the definition of the forest, and nothing else.
/// Method: random histories over few keys with small nodes and partitions, so that all of cutting,
/// closing and folding happens; a sorted map says what each key holds.
class StateForestTest {
  private static final int BLOCKS = 120;

  private final NavigableMap<Bytes, StateEntry> model = new TreeMap<>();
  private long jsn = 1;

  @Test
  void emptyRootIsThatOfSealsWithoutState() {
    assertThat(StateRoot.EMPTY.digest()).isEqualTo(SealLeaf.EMPTY_STATE_ROOT);
    assertThat(new ReferenceForest(params(new SplittableRandom(1))).root())
        .isEqualTo(SealLeaf.EMPTY_STATE_ROOT);
  }

  @Seeded(runs = 10)
  void answersWhatTheModelHolds(SplittableRandom random) throws Exception {
    ReferenceForest forest = new ReferenceForest(params(random));
    boolean folded = false;
    for (long height = 1; height <= BLOCKS; height++) {
      forest.apply(height, block(random));
      StateRoot root = new StateRoot(forest.root());
      folded |= !forest.knowsAll();
      for (int i = 0; i < 4; i++) {
        checkLookup(forest, key(random), root, height);
      }
      checkRange(forest, random, root, height);
    }
    assertThat(folded).as("a partition was folded").isTrue();
    // FOREST's bound on what a fold leaves, loosely: small partitions round it up.
    assertThat(forest.entryCount()).isLessThan(4L * model.size() + 10 * 64);
  }

  @Seeded(runs = 10)
  void engineIsWhatTheDefinitionSays(SplittableRandom random) throws Exception {
    StateParams params = params(random);
    ReferenceForest reference = new ReferenceForest(params);
    InMemoryMetaStore meta = new InMemoryMetaStore();
    StrandId strand = new StrandId(new LedgerId(Sha256.hash(new byte[] {1})), 0);
    ForestRows rows = new ForestRows(meta, strand);
    StateForest engine = rows.restore(params);
    for (long height = 1; height <= BLOCKS; height++) {
      List<StateEntry> writes = block(random);
      reference.apply(height, writes);
      ForestVersion version =
          engine.apply(height, writes.stream().map(StateForestTest::held).toList());
      assertThat(version.root().digest())
          .as("root of block %d", height)
          .isEqualTo(reference.root());
      if (random.nextInt(5) == 0) {
        MetaBatch batch = new MetaBatch();
        rows.savepoint(engine, batch);
        meta.write(batch);
        rows = new ForestRows(meta, strand);
        engine = rows.restore(params);
        assertThat(engine.version().root()).isEqualTo(version.root());
      }
      checkAnswers(engine.version(), reference, random);
    }
  }

  private static HeldEntry held(StateEntry entry) {
    return new HeldEntry(entry, entry.isPresent() ? new Location(entry.jsn().value(), 7) : null);
  }

  private void checkAnswers(
      ForestVersion version, ReferenceForest reference, SplittableRandom random) {
    Bytes key = key(random);
    assertThat(version.find(key)).isEqualTo(reference.newest(key).map(StateForestTest::held));
    assertThat(version.lookup(key)).isEqualTo(ReferenceForestProofs.lookup(reference, key));
    ForestVersion.Page page = version.page(key, null, 1 + random.nextInt(20));
    Optional<Bytes> end = page.end();
    NavigableMap<Bytes, StateEntry> within =
        end.isPresent() ? model.subMap(key, true, end.get(), false) : model.tailMap(key, true);
    assertThat(page.entries())
        .isEqualTo(
            within.values().stream()
                .filter(StateEntry::isPresent)
                .map(StateForestTest::held)
                .toList());
    assertThat(version.range(key, end.orElse(null)))
        .isEqualTo(ReferenceForestProofs.range(reference, key, end));
  }

  private void checkLookup(ReferenceForest forest, Bytes key, StateRoot root, long height)
      throws Exception {
    StateLookup lookup = reread(ReferenceForestProofs.lookup(forest, key));
    StateAnswer answer = lookup.verify(key, root, height);
    StateEntry want = model.get(key);
    switch (answer) {
      case StateAnswer.Present(StateEntry entry) -> assertThat(entry).isEqualTo(want);
      case StateAnswer.Deleted(StateEntry entry) -> assertThat(entry).isEqualTo(want);
      case StateAnswer.Absent(Bytes named, boolean neverWritten) -> {
        assertThat(named).isEqualTo(key);
        assertThat(want == null || !want.isPresent()).isTrue();
        assertThat(neverWritten).isEqualTo(forest.knowsAll());
      }
    }
    if (want != null && want.isPresent()) {
      assertThat(answer).isInstanceOf(StateAnswer.Present.class);
    }
  }

  private void checkRange(
      ReferenceForest forest, SplittableRandom random, StateRoot root, long height)
      throws Exception {
    Bytes one = key(random);
    Bytes other = key(random);
    if (one.equals(other)) {
      return;
    }
    Bytes from = one.compareTo(other) < 0 ? one : other;
    Optional<Bytes> to =
        random.nextInt(4) == 0 ? Optional.empty() : Optional.of(one.equals(from) ? other : one);
    StateRange range = reread(ReferenceForestProofs.range(forest, from, to));
    NavigableMap<Bytes, StateEntry> within =
        to.isPresent() ? model.subMap(from, true, to.get(), false) : model.tailMap(from, true);
    assertThat(range.verify(from, to, root, height))
        .isEqualTo(within.values().stream().filter(StateEntry::isPresent).toList());
  }

  @Seeded(runs = 6)
  void refusesEveryChangedByteOfAProof(SplittableRandom random) throws Exception {
    ReferenceForest forest = new ReferenceForest(params(random));
    for (long height = 1; height <= BLOCKS; height++) {
      forest.apply(height, block(random));
    }
    StateRoot root = new StateRoot(forest.root());
    Bytes key = key(random);
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

  @Seeded(runs = 6)
  void refusesALookupThatSearchesTooFewOrTooMany(SplittableRandom random) {
    ReferenceForest forest = new ReferenceForest(params(random));
    for (long height = 1; height <= BLOCKS; height++) {
      forest.apply(height, block(random));
    }
    StateRoot root = new StateRoot(forest.root());
    for (int i = 0; i < 20; i++) {
      Bytes key = key(random);
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

  private static StateParams params(SplittableRandom random) {
    int leafMax = 4 + random.nextInt(5);
    return new StateParams(leafMax + random.nextInt(57), 1, leafMax, 4 + random.nextInt(5), 1);
  }

  private List<StateEntry> block(SplittableRandom random) {
    List<StateEntry> writes = new ArrayList<>();
    int count = random.nextInt(3) == 0 ? random.nextInt(60) : random.nextInt(6);
    for (int i = 0; i < count; i++) {
      Bytes key = key(random);
      Jsn writer = new Jsn(jsn++);
      StateEntry entry =
          random.nextInt(4) == 0
              ? StateEntry.tombstone(key, writer)
              : StateEntry.put(key, Sha256.hash(key.toArray()), random.nextInt(300), writer);
      writes.add(entry);
      model.put(key, entry);
    }
    return writes;
  }

  /// Of few letters and different lengths, so that many keys begin with each other.
  private static Bytes key(SplittableRandom random) {
    byte[] key = new byte[1 + random.nextInt(5)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) * 127);
    }
    return Bytes.wrap(key);
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

  private static StateLookup reread(StateLookup lookup) throws MalformedException {
    return decodeLookup(encoded(lookup));
  }

  private static StateRange reread(StateRange range) throws MalformedException {
    return decodeRange(encoded(range));
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
