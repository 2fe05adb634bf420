package io.tallystick.testkit.forest;

import io.tallystick.merkle.TreeHasher;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateNode;
import io.tallystick.merkle.forest.StatePartition;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;

/// A file `snapshot/state`, read by the page: everything is hashed. Source:
/// `docs/formats/audit-statement.md`, "State as of a purge".
///
/// @param passEnd of the fold; {@link #NONE} if no pass runs
/// @param carried S of the fold
/// @param carriedBefore B of the fold
/// @param partitions oldest first
/// @param entries of each partition
public record SnapshotStateFile(
    long passEnd,
    long position,
    long carried,
    long carriedBefore,
    List<StatePartition> partitions,
    List<NavigableMap<Bytes, StateEntry>> entries) {
  /// There is none, of the numbers that may be missing.
  public static final long NONE = -1;

  /// @throws AssertionError if the file breaks a rule that the root does not show
  public static SnapshotStateFile read(byte[] file) throws MalformedException {
    ByteBuffer in = ByteBuffer.wrap(file);
    byte[] magic = new byte[8];
    in.get(magic);
    check(Bytes.wrap(magic).equals(Bytes.utf8("TALLYSTI")) && in.getInt() == 1, "magic, version");
    long nextNumber = in.getLong();
    long passEnd = in.getLong();
    long position = in.getLong();
    long carried = in.getLong();
    long before = in.getLong();
    check(position >= 0 && carried >= 0 && before >= 0, "the fold's numbers");
    List<StatePartition> heads = heads(in, in.getInt());
    List<NavigableMap<Bytes, StateEntry>> all = new ArrayList<>();
    for (StatePartition head : heads) {
      NavigableMap<Bytes, StateEntry> entries = new TreeMap<>();
      StateNode.Child root = node(in, entries);
      check(root.hash().equals(head.rootHash()), "a tree's hash");
      check(root.entryCount() == head.entryCount(), "a tree's entries");
      check(entries.size() == head.entryCount(), "a key is there twice");
      all.add(entries);
    }
    check(!in.hasRemaining(), "bytes behind the end");
    check(heads.getLast().number() == nextNumber - 1, "the next number");
    check(passEnd != NONE || position == 0, "a position without a pass");
    check(passEnd < nextNumber, "the end of the pass");
    return new SnapshotStateFile(passEnd, position, carried, before, heads, all).checkFold();
  }

  private static void check(boolean right, String what) {
    if (!right) {
      throw new AssertionError("snapshot/state: " + what);
    }
  }

  private static List<StatePartition> heads(ByteBuffer in, int count) {
    List<StatePartition> heads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long number = in.getLong();
      long first = in.getLong();
      long last = in.getLong();
      check(last != NONE || i == count - 1, "an open partition is not the last");
      check(i == 0 || number == heads.getLast().number() + 1, "a partition's number");
      OptionalLong lastHeight = last == NONE ? OptionalLong.empty() : OptionalLong.of(last);
      heads.add(new StatePartition(number, first, lastHeight, in.getLong(), digest(in)));
    }
    return heads;
  }

  private static Digest digest(ByteBuffer in) {
    byte[] digest = new byte[Digest.BYTES];
    in.get(digest);
    return Digest.of(digest);
  }

  private static Bytes string(ByteBuffer in) {
    byte[] string = new byte[in.getShort() & 0xffff];
    in.get(string);
    return Bytes.wrap(string);
  }

  /// @param entries takes those of all leaves
  private static StateNode.Child node(ByteBuffer in, NavigableMap<Bytes, StateEntry> entries)
      throws MalformedException {
    int level = in.get();
    int count = in.getShort() & 0xffff;
    List<Bytes> records = new ArrayList<>();
    List<Bytes> keys = new ArrayList<>();
    if (level == 0) {
      for (int i = 0; i < count; i++) {
        records.add(string(in));
        StateEntry entry = StateEntry.decode(records.getLast());
        keys.add(entry.key());
        entries.put(entry.key(), entry);
      }
      Separators between = Separators.between(keys);
      Digest hash = StateNode.hash(0, between, TreeHasher.rootOverData(records));
      return new StateNode.Child(hash, count);
    }
    for (int i = 1; i < count; i++) {
      keys.add(string(in));
    }
    long below = 0;
    for (int i = 0; i < count; i++) {
      check(in.get(in.position()) == level - 1, "a child's level");
      StateNode.Child child = node(in, entries);
      below += child.entryCount();
      records.add(child.encode());
    }
    Digest root = TreeHasher.rootOverData(records);
    return new StateNode.Child(StateNode.hash(level, new Separators(keys), root), below);
  }

  /// What a pass has looked at may go.
  private SnapshotStateFile checkFold() {
    List<StateEntry> oldest = List.copyOf(entries.getFirst().values());
    check(passEnd == NONE || position < oldest.size(), "the fold's position");
    for (StateEntry looked : oldest.subList(0, (int) position)) {
      boolean replaced =
          entries.subList(1, entries.size()).stream().anyMatch(p -> p.containsKey(looked.key()));
      check(!looked.isPresent() || replaced, "the fold passed over " + looked);
    }
    return this;
  }

  /// What the heads give.
  public Digest root() {
    return StateRoot.over(partitions.stream().map(StatePartition::encode).toList()).digest();
  }
}
