package io.tallystick.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.head.LastSeal;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.SampleState;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.forest.ForestHistory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// Goal: under any head of a log, lookup, range and value say what its journals wrote up to there,
/// in one encoding, and no changed byte is believed. Method: logs of random operations, whose
/// written values a sorted map keeps for every head.
class StateUnderSealTest {
  private static final int BLOCKS = 50;
  private static final int BLOCKS_MAX = 20 * BLOCKS;
  private static final int LOOKUPS_MAX = 10_000;

  /// What the journals up to a head made of the keys; empty for a deleted one.
  private record AtHead(int size, NavigableMap<Bytes, Optional<Bytes>> written) {
    List<Bytes> present(Bytes from, Optional<Bytes> to) {
      NavigableMap<Bytes, Optional<Bytes>> within =
          to.isPresent()
              ? written.subMap(from, true, to.get(), false)
              : written.tailMap(from, true);
      return within.entrySet().stream()
          .filter(entry -> entry.getValue().isPresent())
          .map(entry -> entry.getKey())
          .toList();
    }
  }

  private final List<AtHead> heads = new ArrayList<>();
  private final NavigableMap<Bytes, Optional<Bytes>> written = new TreeMap<>();

  private SampleState grown(ForestHistory keys, SplittableRandom random) {
    StateParams params =
        new StateParams(8 + random.nextInt(17), 1, 4 + random.nextInt(5), 4 + random.nextInt(5), 1);
    SampleState log = SampleState.found(params, 0);
    heads.add(new AtHead(log.size(), new TreeMap<>()));
    // Some logs fold late.
    for (int block = 0;
        block < BLOCKS || (block < BLOCKS_MAX && log.forest(log.size()).knowsAll());
        block++) {
      for (int journal = 0; journal <= random.nextInt(2); journal++) {
        append(log, keys, random);
      }
      log.seal();
      heads.add(new AtHead(log.size(), new TreeMap<>(written)));
    }
    return log;
  }

  private void append(SampleState log, ForestHistory keys, SplittableRandom random) {
    List<DraftOp> ops = new ArrayList<>();
    Set<Bytes> used = new HashSet<>();
    int count = random.nextInt(3) == 0 ? random.nextInt(50) : random.nextInt(6);
    for (int i = 0; i < count; i++) {
      Bytes key = keys.key();
      if (used.add(key)) {
        boolean deletes = random.nextInt(4) == 0;
        Bytes value = Bytes.utf8("x".repeat(random.nextInt(40)) + heads.size());
        ops.add(deletes ? DraftOp.delete(key) : DraftOp.put(key, value));
        written.put(key, deletes ? Optional.empty() : Optional.of(value));
      }
    }
    log.append(ops);
  }

  @Seeded(runs = 2, longRuns = 20)
  void saysOfEveryHeadWhatTheJournalsWrote(SplittableRandom random) throws Exception {
    ForestHistory keys = new ForestHistory(random);
    SampleState log = grown(keys, random);
    int values = 0;
    for (AtHead at : heads) {
      SignedHead head = log.head(at.size);
      for (int i = 0; i < 3; i++) {
        values += checkLookup(log, at, keys.key(), head) ? 1 : 0;
      }
      checkPages(log, at, keys.key(), head, 10 + random.nextInt(30));
    }
    SignedHead newest = log.head(heads.getLast().size);
    for (int i = 0; values <= BLOCKS / 3 && i < LOOKUPS_MAX; i++) {
      values += checkLookup(log, heads.getLast(), keys.key(), newest) ? 1 : 0;
    }
    assertThat(values).isGreaterThan(BLOCKS / 3);
    assertThat(log.forest(log.size()).knowsAll()).as("nothing was folded").isFalse();
  }

  private static boolean checkLookup(SampleState log, AtHead at, Bytes key, SignedHead head)
      throws Exception {
    Bytes encoded = log.lookup(key, at.size).encode();
    LookupProof proof = LookupProof.decode(encoded);
    assertThat(proof.encode()).isEqualTo(encoded);
    Optional<Bytes> want = at.written.getOrDefault(key, Optional.empty());
    return switch (proof.verify(key, head)) {
      case StateAnswer.Present(StateEntry entry) -> {
        StateValue value = StateValue.decode(log.value(entry).encode());
        value.verify(entry);
        assertThat(Optional.of(value.value())).isEqualTo(want);
        yield true;
      }
      case StateAnswer.Deleted(StateEntry entry) -> {
        assertThat(entry.key()).isEqualTo(key);
        assertThat(at.written).containsEntry(key, Optional.empty());
        yield false;
      }
      case StateAnswer.Absent absent -> {
        assertThat(want).isEmpty();
        assertThat(absent.neverWritten()).isEqualTo(log.forest(at.size).knowsAll());
        assertThat(absent.neverWritten() && at.written.containsKey(key)).isFalse();
        yield false;
      }
    };
  }

  /// All keys from `from` on in pages of `limit`, each of which ends behind its last key.
  private static void checkPages(SampleState log, AtHead at, Bytes from, SignedHead head, int limit)
      throws Exception {
    List<Bytes> all = at.present(from, Optional.empty());
    List<Bytes> shown = new ArrayList<>();
    Bytes next = from;
    while (true) {
      List<Bytes> rest = at.present(next, Optional.empty());
      Optional<Bytes> end =
          rest.size() > limit ? Optional.of(behind(rest.get(limit - 1))) : Optional.empty();
      RangeOfState proof = RangeOfState.decode(log.range(next, end, at.size).encode());
      for (StateEntry entry : proof.verify(next, Optional.empty(), head)) {
        assertThat(Optional.of(log.value(entry).value())).isEqualTo(at.written.get(entry.key()));
        shown.add(entry.key());
      }
      if (end.isEmpty()) {
        break;
      }
      next = end.get();
    }
    assertThat(shown).isEqualTo(all);
  }

  private static Bytes behind(Bytes key) {
    return Bytes.fromHex(key.hex() + "00");
  }

  @Seeded(runs = 2, longRuns = 10)
  void refusesEveryChangedByteAndEveryOtherHead(SplittableRandom random) {
    ForestHistory keys = new ForestHistory(random);
    SampleState log = grown(keys, random);
    int size = log.size();
    SignedHead head = log.head(size);
    Bytes key = keys.key();
    Bytes lookup = log.lookup(key, size).encode();
    for (int at = 0; at < lookup.size(); at++) {
      Bytes changed = changed(lookup, at, random);
      assertRefused(() -> LookupProof.decode(changed).verify(key, head), "lookup", at);
    }
    Bytes range = log.range(key, Optional.empty(), size).encode();
    for (int i = 0; i < 600; i++) {
      int at = i < 200 ? i : random.nextInt(range.size());
      Bytes changed = changed(range, at, random);
      assertRefused(
          () -> RangeOfState.decode(changed).verify(key, Optional.empty(), head), "range", at);
    }
    for (AtHead other : heads.subList(0, heads.size() - 1)) {
      assertRefused(
          () -> log.lookup(key, size).verify(key, log.head(other.size)), "head", other.size);
      LastSeal newest = log.lastLeaf(size);
      LookupProof older = log.lookup(key, other.size);
      assertThat(
              new LookupProof(newest, key, older.lookup()).encode().equals(lookup)
                  || !isTaken(new LookupProof(newest, key, older.lookup()), key, head))
          .as("the forest of size %d under the newest seal", other.size)
          .isTrue();
    }
  }

  private static boolean isTaken(LookupProof proof, Bytes key, SignedHead head) {
    try {
      proof.verify(key, head);
      return true;
    } catch (ProofRejectedException e) {
      assertThat(e.getMessage()).isNotBlank();
      return false;
    }
  }

  private interface Check {
    void run() throws Exception;
  }

  private static void assertRefused(Check check, String what, int at) {
    assertThatThrownBy(check::run)
        .as("%s, changed at %d", what, at)
        .isInstanceOfAny(ProofRejectedException.class, MalformedException.class);
  }

  private static Bytes changed(Bytes bytes, int at, SplittableRandom random) {
    byte[] changed = bytes.toArray();
    changed[at] ^= (byte) (1 + random.nextInt(255));
    return Bytes.wrap(changed);
  }
}
