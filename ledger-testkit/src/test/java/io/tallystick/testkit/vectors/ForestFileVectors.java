package io.tallystick.testkit.vectors;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.state.LookupFile;
import io.tallystick.state.LookupProof;
import io.tallystick.state.LookupsProof;
import io.tallystick.state.RangeFile;
import io.tallystick.state.RangeOfState;
import io.tallystick.state.StateFile;
import io.tallystick.state.StateValue;
import io.tallystick.testkit.SampleState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Proof files of topic `forest`: lookups, also of several keys, and ranges of {@link
/// SampleState#young} with head and values, and what claims to be one.
final class ForestFileVectors {
  private static final int SIZE = 8;
  private static final Bytes FROM = SampleState.key(2);
  private static final Optional<Bytes> TO = Optional.of(SampleState.key(6));

  /// Deleted; put in the newer partition; put in the older one.
  private static final List<Bytes> KEYS =
      List.of(SampleState.key(3), SampleState.key(5), SampleState.key(7));

  private final VectorSet set;
  private final SampleState log = SampleState.young();
  private final RangeOfState range = log.range(FROM, TO, SIZE);
  private final RangeFile ranged = RangeFile.of(log.head(SIZE), range, values(range));

  private final LookupFile keys = several(log.lookups(KEYS, SIZE));

  ForestFileVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    readings();
    several();
    badSeveral();
    ranges();
    badRanges();
  }

  private void readings() {
    Bytes key = SampleState.key(5);
    StateFile good = reading(key, value(key));
    set.accept(stateFile("reading-with-its-value", good.encode()));
    set.accept(stateFile("reading-without-its-value", reading(key, Optional.empty()).encode()));
    Bytes gone = SampleState.key(11);
    StateFile deleted = reading(gone, Optional.empty());
    set.accept(stateFile("reading-of-a-deleted-key", deleted.encode()));
    Bytes never = Bytes.utf8("key 111");
    set.accept(
        stateFile("reading-of-a-key-never-written", reading(never, Optional.empty()).encode()));
    Optional<StateValue> other = value(SampleState.key(4));
    set.refuse(
        "COMMITMENT_MISMATCH",
        stateFile("reading-with-another-value", reading(key, other).encode()));
    StateFile claimed = new StateFile(good.head(), deleted.proof(), good.value());
    set.refuse(
        "COMMITMENT_MISMATCH",
        stateFile("reading-with-a-value-of-a-deleted-key", claimed.encode()));
    StateFile headless = new StateFile(log.checkpoint(6), good.proof(), good.value());
    set.refuse("WRONG_JSN", stateFile("reading-under-another-head", headless.encode()));
    Bytes encoded = good.encode();
    set.refuse(
        "MALFORMED",
        stateFile("reading-of-type-36", Forge.replaceStart(encoded, "841820", "841824")));
    set.refuse("MALFORMED", stateFile("reading-with-bytes-left-over", Forge.append(encoded, "00")));
  }

  private StateFile reading(Bytes key, Optional<StateValue> value) {
    LookupProof proof = log.lookup(key, SIZE);
    return StateFile.of(log.head(SIZE), proof, value);
  }

  private Optional<StateValue> value(Bytes key) {
    return log.forest(SIZE).newest(key).map(log::value);
  }

  private void several() {
    set.accept(lookupFile("several-with-their-values", keys.encode()));
    List<Optional<Bytes>> some = new ArrayList<>(keys.values());
    some.set(1, Optional.empty());
    set.accept(lookupFile("several-with-a-value-not-shown", several(some)));
  }

  private void badSeveral() {
    List<Optional<Bytes>> values = keys.values();
    worse("several-with-a-value-too-few", "MISSING", several(values.subList(0, 2)));
    List<Optional<Bytes>> more = new ArrayList<>(values);
    more.add(Optional.empty());
    worse("several-with-a-value-too-many", "MISSING", several(more));
    worse("several-with-values-swapped", "COMMITMENT_MISMATCH", several(values.reversed()));
    List<Optional<Bytes>> deleted = new ArrayList<>(values);
    deleted.set(0, values.get(1));
    worse("several-with-a-value-of-a-deleted-key", "COMMITMENT_MISMATCH", several(deleted));
    Bytes headless = new LookupFile(log.checkpoint(6), keys.proof(), values).encode();
    worse("several-under-another-head", "WRONG_JSN", headless);
    Bytes old = log.lookups(KEYS, 6).encode();
    worse("several-of-an-older-state", "WRONG_JSN", several(old, values));
    worse("several-without-a-proof", "MALFORMED", several(Bytes.EMPTY, List.of()));
    Bytes lookup = log.lookup(KEYS.getFirst(), SIZE).encode();
    worse("several-with-a-lookup-proof", "MALFORMED", several(lookup, values.subList(0, 1)));
    Bytes good = keys.encode();
    worse("several-of-type-36", "MALFORMED", Forge.replaceStart(good, "841822", "841824"));
    worse("several-of-five-items", "MALFORMED", Forge.replaceStart(good, "841822", "851822"));
    worse("several-with-bytes-left-over", "MALFORMED", Forge.append(good, "00"));
    worse("several-cut", "MALFORMED", good.slice(0, good.size() - 1));
  }

  private Bytes several(List<Optional<Bytes>> values) {
    return several(keys.proof(), values);
  }

  private Bytes several(Bytes proof, List<Optional<Bytes>> values) {
    return new LookupFile(keys.head(), proof, values).encode();
  }

  private LookupFile several(LookupsProof proof) {
    List<Optional<StateValue>> values = new ArrayList<>();
    for (Bytes key : proof.keys()) {
      values.add(log.forest(SIZE).newest(key).filter(StateEntry::isPresent).map(log::value));
    }
    return LookupFile.of(log.head(SIZE), proof, values);
  }

  private void ranges() {
    set.accept(rangeFile("range-with-its-values", ranged.encode()));
    List<Optional<Bytes>> some = new ArrayList<>(ranged.values());
    some.set(1, Optional.empty());
    set.accept(rangeFile("range-with-a-value-not-shown", values(some)));
    RangeOfState none = log.range(Bytes.utf8("l"), Optional.of(Bytes.utf8("m")), SIZE);
    set.accept(rangeFile("range-of-no-keys", of(none).encode()));
    RangeOfState open = log.range(SampleState.key(22), Optional.empty(), SIZE);
    set.accept(rangeFile("range-without-an-end", of(open).encode()));
  }

  private RangeFile of(RangeOfState proof) {
    return RangeFile.of(log.head(SIZE), proof, values(proof));
  }

  private void badRanges() {
    List<Optional<Bytes>> values = ranged.values();
    bad("range-with-a-value-too-few", "MISSING", values(values.subList(0, values.size() - 1)));
    List<Optional<Bytes>> more = new ArrayList<>(values);
    more.add(Optional.empty());
    bad("range-with-a-value-too-many", "MISSING", values(more));
    bad("range-with-values-swapped", "COMMITMENT_MISMATCH", values(values.reversed()));
    List<Optional<Bytes>> twice = new ArrayList<>(values);
    twice.set(1, values.getFirst());
    bad("range-with-the-value-of-another-key", "COMMITMENT_MISMATCH", values(twice));
    Bytes older = new RangeFile(log.checkpoint(6), ranged.proof(), values).encode();
    bad("range-under-another-head", "WRONG_JSN", older);
    RangeOfState old = log.range(FROM, TO, 6);
    bad("range-of-an-older-state", "WRONG_JSN", of(ranged.head(), old.encode(), values));
    bad("range-without-a-proof", "MALFORMED", of(ranged.head(), Bytes.EMPTY, List.of()));
    Bytes lookup = log.lookup(FROM, SIZE).encode();
    bad("range-with-a-lookup-proof", "MALFORMED", of(ranged.head(), lookup, List.of()));
    Bytes good = ranged.encode();
    bad("range-of-type-32", "MALFORMED", Forge.replaceStart(good, "841824", "841820"));
    bad("range-of-five-items", "MALFORMED", Forge.replaceStart(good, "841824", "851824"));
    bad("range-with-bytes-left-over", "MALFORMED", Forge.append(good, "00"));
    bad("range-cut", "MALFORMED", good.slice(0, good.size() - 1));
  }

  private static Bytes of(Bytes head, Bytes proof, List<Optional<Bytes>> values) {
    return new RangeFile(head, proof, values).encode();
  }

  private Bytes values(List<Optional<Bytes>> values) {
    return of(ranged.head(), ranged.proof(), values);
  }

  private List<Optional<StateValue>> values(RangeOfState of) {
    List<Optional<StateValue>> values = new ArrayList<>();
    try {
      for (StateEntry entry : of.verify(of.from(), of.to(), log.head(SIZE))) {
        values.add(Optional.of(log.value(entry)));
      }
    } catch (ProofRejectedException e) {
      throw new AssertionError(e);
    }
    return values;
  }

  private VectorCase stateFile(String name, Bytes file) {
    return ForestCases.file(name, "stateFile", log).with("file", file);
  }

  private VectorCase lookupFile(String name, Bytes file) {
    return ForestCases.file(name, "lookupFile", log).with("file", file);
  }

  private void worse(String name, String reason, Bytes file) {
    set.refuse(reason, lookupFile(name, file));
  }

  private VectorCase rangeFile(String name, Bytes file) {
    return ForestCases.file(name, "rangeFile", log).with("file", file);
  }

  private void bad(String name, String reason, Bytes file) {
    set.refuse(reason, rangeFile(name, file));
  }
}
