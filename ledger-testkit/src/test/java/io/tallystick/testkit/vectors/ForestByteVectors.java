package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.Commitments;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateNode;
import io.tallystick.merkle.forest.StatePartition;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.state.StateValue;
import io.tallystick.testkit.Fixtures;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// Entries, nodes, roots and values of topic `forest`.
final class ForestByteVectors {
  private static final Digest COMMIT = Digest.fromHex("cc".repeat(32));

  private final VectorSet set;
  private final Bytes salt = Fixtures.bytes32("salt 1");
  private final Bytes value = Bytes.utf8("the value");
  private final Digest opening = Commitments.valueOpening(salt, 3);
  private final StateEntry written =
      StateEntry.put(
          Bytes.utf8("key"), Commitments.value(opening, value), value.size(), new Jsn(7));

  ForestByteVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    entries();
    badEntries();
    nodes();
    roots();
    values();
  }

  private void entries() {
    Bytes key = Bytes.utf8("key");
    set.accept(entry("value", StateEntry.put(key, COMMIT, 300, new Jsn(1L << 40)).encode()));
    set.accept(entry("empty-value", StateEntry.put(key, COMMIT, 0, new Jsn(2)).encode()));
    set.accept(entry("tombstone", StateEntry.tombstone(key, new Jsn(24)).encode()));
    Bytes longest = Bytes.wrap(new byte[256]);
    set.accept(entry("key-of-256-bytes", StateEntry.put(longest, COMMIT, 1, new Jsn(2)).encode()));
  }

  private void badEntries() {
    String commit = "5820" + COMMIT.hex();
    malformed("key-empty", "8604" + "40" + "f5" + commit + "0102");
    malformed("key-of-257-bytes", "8604" + "590101" + "61".repeat(257) + "f5" + commit + "0102");
    malformed("key-as-text", "8604" + "6161" + "f5" + commit + "0102");
    malformed("tombstone-with-a-commitment", "8604" + "4161" + "f4" + commit + "0002");
    malformed("tombstone-with-a-size", "8604" + "4161" + "f4f6" + "0102");
    malformed("value-without-a-commitment", "8604" + "4161" + "f5f6" + "0002");
    malformed("commitment-of-31-bytes", "8604" + "4161" + "f5581f" + "cc".repeat(31) + "0102");
    malformed("type-7", "8607" + "4161" + "f5" + commit + "0102");
    malformed("five-items", "8504" + "4161" + "f5" + commit + "01");
    malformed("bytes-left-over", "8604" + "4161" + "f5" + commit + "010200");
    malformed("present-as-a-number", "8604" + "4161" + "01" + commit + "0102");
    malformed("size-not-shortest", "8604" + "4161" + "f5" + commit + "180102");
  }

  private void malformed(String name, String hex) {
    set.refuse("MALFORMED", entry(name, Bytes.fromHex(hex)));
  }

  private static VectorCase entry(String name, Bytes entry) {
    return ForestCases.of("entry/" + name, "stateEntry").with("entry", entry);
  }

  private void nodes() {
    node("leaf-of-one", 0, List.of(), "a");
    node("leaf-of-two", 0, List.of("b"), "a", "b");
    node("leaf-of-three", 0, List.of("key 2", "key 3"), "key 1", "key 2", "key 3");
    node("leaf-of-keys-that-begin-with-each-other", 0, List.of("aa", "aaa"), "a", "aa", "aaa");
    node("leaf-without-a-common-prefix", 0, List.of("b", "c"), "a", "b", "c");
    node("inner-node-of-two", 1, List.of("m"), "a", "m");
    node("inner-node-of-the-highest-level", 15, List.of("key 20", "key 3"), "a", "b", "c");
    String[] keys =
        Stream.iterate(0, i -> i + 1)
            .limit(40)
            .map(i -> String.format(Locale.ROOT, "%03d", i))
            .toArray(String[]::new);
    node("leaf-of-40", 0, separators(keys), keys);
  }

  private static List<String> separators(String... keys) {
    return Separators.between(Stream.of(keys).map(Bytes::utf8).toList()).values().stream()
        .map(separator -> new String(separator.toArray(), StandardCharsets.UTF_8))
        .toList();
  }

  private void node(String name, int level, List<String> separators, String... keys) {
    List<Bytes> records = Stream.of(keys).map(key -> record(level, key)).toList();
    set.accept(
        ForestCases.of("node/" + name, "stateNode")
            .with("level", level)
            .with("separators", separators.stream().map(Bytes::utf8).toList())
            .with("records", records));
  }

  private static Bytes record(int level, String key) {
    Digest hash = TreeHasher.leafHash(Bytes.utf8(key));
    return level == 0
        ? StateEntry.put(Bytes.utf8(key), hash, 5, new Jsn(2)).encode()
        : new StateNode.Child(hash, 3).encode();
  }

  private void roots() {
    Bytes first = new StatePartition(7, 1, OptionalLong.of(90), 24, COMMIT).encode();
    Bytes second = new StatePartition(8, 91, OptionalLong.of(91), 1L << 21, COMMIT).encode();
    Bytes third = new StatePartition(9, 92, OptionalLong.empty(), 1, COMMIT).encode();
    root("no-partitions");
    root("one-partition", third);
    root("three-partitions", first, second, third);
  }

  private void root(String name, Bytes... partitions) {
    set.accept(ForestCases.of("root/" + name, "stateRoot").with("partitions", List.of(partitions)));
  }

  private void values() {
    Bytes good = new StateValue(opening, value).encode();
    set.accept(value("as-written", good));
    StateValue empty = new StateValue(Commitments.valueOpening(salt, 0), Bytes.EMPTY);
    StateEntry ofEmpty = StateEntry.put(Bytes.utf8("key"), empty.commit(), 0, new Jsn(7));
    set.accept(value("empty", ofEmpty, empty.encode()));
    mismatch("another-value", new StateValue(opening, Bytes.utf8("the other")));
    mismatch("value-of-another-length", new StateValue(opening, Bytes.utf8("the value ")));
    mismatch(
        "opening-of-another-operation", new StateValue(Commitments.valueOpening(salt, 4), value));
    mismatch("salt-shown-for-the-opening", new StateValue(Digest.of(salt), value));
    StateValue other =
        new StateValue(Commitments.valueOpening(Fixtures.bytes32("salt 2"), 3), value);
    mismatch("opening-of-another-journal", other);
    StateEntry size =
        StateEntry.put(Bytes.utf8("key"), written.valueCommit().orElseThrow(), 8, new Jsn(7));
    set.refuse("COMMITMENT_MISMATCH", value("entry-of-another-size", size, good));
    StateEntry deleted = StateEntry.tombstone(Bytes.utf8("key"), new Jsn(7));
    set.refuse("COMMITMENT_MISMATCH", value("value-of-a-deleted-key", deleted, good));
    set.refuse(
        "COMMITMENT_MISMATCH", value("empty-value-of-a-deleted-key", deleted, empty.encode()));
    set.refuse("MALFORMED", value("bytes-left-over", Forge.append(good, "00")));
    set.refuse(
        "MALFORMED",
        value("three-items", Forge.append(Forge.replaceStart(good, "82", "83"), "00")));
    Bytes shorter = new CborWriter().array(2).bytes(new byte[31]).bytes(value).toBytes();
    set.refuse("MALFORMED", value("opening-of-31-bytes", shorter));
  }

  private void mismatch(String name, StateValue forged) {
    set.refuse("COMMITMENT_MISMATCH", value(name, forged.encode()));
  }

  private VectorCase value(String name, Bytes encoded) {
    return value(name, written, encoded);
  }

  private static VectorCase value(String name, StateEntry entry, Bytes encoded) {
    return ForestCases.of("value/" + name, "stateValue")
        .with("entry", entry.encode())
        .with("value", encoded);
  }
}
