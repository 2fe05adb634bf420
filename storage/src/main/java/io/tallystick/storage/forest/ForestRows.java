package io.tallystick.storage.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/// The rows of a strand's state in the meta store: one for the forest, one for each node. A node's
/// row is written once and deleted when a savepoint no longer has it. One owner thread. Source:
/// `docs/formats/savepoint.md`.
public final class ForestRows {
  private static final byte FOREST = 'v';
  private static final byte NODE = 'w';
  private static final int VERSION = 1;
  private static final int STRAND_BYTES = 36;

  private final StrandId strand;
  private final MetaStore meta;
  private long nextId;

  public ForestRows(MetaStore meta, StrandId strand) {
    this.meta = meta;
    this.strand = strand;
  }

  /// The forest as the last savepoint left it; empty if none had one.
  ///
  /// @throws CorruptStreamException if rows are missing or cannot be read; whoever opens compares
  ///   the root with the one that was sealed
  public StateForest restore(StateParams params) throws IOException, CorruptStreamException {
    Bytes row = meta.get(key(FOREST));
    if (row == null) {
      return new StateForest(params, ForestVersion.empty(), new ReplacedNodes());
    }
    Map<Long, Bytes> nodes = new HashMap<>();
    Bytes prefix = key(NODE);
    meta.scan(
        prefix,
        null,
        (key, value) -> {
          nodes.put(number(key, prefix.size()), value);
          return true;
        });
    try {
      return new StateForest(params, decode(row, nodes), new ReplacedNodes());
    } catch (MalformedException | IllegalArgumentException e) {
      throw new CorruptStreamException(
          "state of " + strand, 0, "rows cannot be read: " + e.getMessage());
    }
  }

  /// A forest without entries that takes the place of what is saved, with the next savepoint. What
  /// is saved is not read.
  public StateForest startOver(StateParams params) throws IOException {
    List<Long> rows = new ArrayList<>();
    Bytes prefix = key(NODE);
    meta.scan(
        prefix,
        null,
        (key, _) -> {
          rows.add(number(key, prefix.size()));
          return true;
        });
    nextId = rows.stream().mapToLong(id -> id + 1).max().orElse(0);
    ReplacedNodes replaced = new ReplacedNodes();
    replaced.addRows(rows);
    return new StateForest(params, ForestVersion.empty(), replaced);
  }

  /// Adds what changed since the last savepoint.
  public void savepoint(StateForest forest, MetaBatch batch) {
    for (long id : forest.replaced().take()) {
      batch.delete(nodeKey(id));
    }
    ForestVersion version = forest.version();
    for (ForestPartition partition : version.partitions()) {
      save(partition.root(), batch);
    }
    batch.put(key(FOREST), encode(version));
  }

  private void save(ForestNode node, MetaBatch batch) {
    if (node.id() != ForestNode.UNSAVED) {
      return;
    }
    CborWriter out = new CborWriter(256);
    switch (node) {
      case ForestNode.Leaf leaf -> encode(leaf, out);
      case ForestNode.Inner inner -> {
        inner.children().forEach(child -> save(child, batch));
        encode(inner, out);
      }
    }
    node.saveAs(nextId++);
    batch.put(nodeKey(node.id()), out.toBytes());
  }

  private static void encode(ForestNode.Leaf leaf, CborWriter out) {
    out.array(2).uint(0).array(2 * leaf.entries().size());
    for (HeldEntry held : leaf.entries()) {
      out.bytes(held.entry().encode());
      Location value = held.value();
      if (value == null) {
        out.nil();
      } else {
        out.array(2).uint(value.frame()).uint(value.offset());
      }
    }
  }

  private static void encode(ForestNode.Inner inner, CborWriter out) {
    out.array(3).uint(inner.level()).array(inner.separators().size());
    inner.separators().values().forEach(out::bytes);
    out.array(inner.children().size());
    inner.children().forEach(child -> out.uint(child.id()));
  }

  private Bytes encode(ForestVersion version) {
    CborWriter out = new CborWriter(128);
    Fold fold = version.fold();
    out.array(11).uint(VERSION).uint(nextId).uint(version.height()).uint(version.nextNumber());
    out.bool(fold.runs()).uint(fold.passEnd()).uint(fold.position());
    out.uint(fold.carried()).uint(fold.carriedBefore()).array(version.partitions().size());
    for (ForestPartition partition : version.partitions()) {
      out.array(4).uint(partition.number()).uint(partition.firstHeight());
      if (partition.isOpen()) {
        out.nil();
      } else {
        out.uint(partition.lastHeight().getAsLong());
      }
      out.uint(partition.root().id());
    }
    return out.uint(checksum(out.toArray(), out.length())).toBytes();
  }

  private ForestVersion decode(Bytes row, Map<Long, Bytes> nodes) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("forest", 11);
    if (in.uint() != VERSION) {
      throw new MalformedException("version of the forest's row is not " + VERSION);
    }
    nextId = in.uint();
    long height = in.uint();
    long nextNumber = in.uint();
    Fold fold = new Fold(in.bool(), in.uint(), in.uint(), in.uint(), in.uint());
    int count = in.array();
    List<ForestPartition> partitions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("partition", 4);
      long number = in.uint();
      long first = in.uint();
      OptionalLong last = in.nil() ? OptionalLong.empty() : OptionalLong.of(in.uint());
      partitions.add(new ForestPartition(number, first, last, node(in.uint(), nodes)));
    }
    int covered = in.position();
    if (in.uint() != checksum(row.unsafeArray(), covered)) {
      throw new MalformedException("checksum of the forest's row is wrong");
    }
    in.end();
    return new ForestVersion(height, partitions, fold, nextNumber);
  }

  /// No root covers how far the fold has come.
  private long checksum(byte[] row, int count) {
    CRC32C crc = new CRC32C();
    crc.update(key(FOREST).unsafeArray());
    crc.update(row, 0, count);
    return crc.getValue();
  }

  private static ForestNode node(long id, Map<Long, Bytes> nodes) throws MalformedException {
    Bytes row = nodes.remove(id);
    if (row == null) {
      throw new MalformedException("node " + id + " is missing, or twice in the forest");
    }
    CborReader in = new CborReader(row);
    int items = in.array();
    int level = (int) in.uint("level", 15);
    if (items != (level == 0 ? 2 : 3)) {
      throw new MalformedException("node of level " + level + " with " + items + " items");
    }
    ForestNode node = level == 0 ? leaf(in) : inner(in, level, nodes);
    in.end();
    node.saveAs(id);
    return node;
  }

  private static ForestNode leaf(CborReader in) throws MalformedException {
    int count = in.array() / 2;
    List<HeldEntry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      StateEntry entry = StateEntry.decode(Bytes.wrap(in.bytes()));
      if (in.nil()) {
        entries.add(new HeldEntry(entry, null));
      } else {
        in.array("location", 2);
        entries.add(
            new HeldEntry(
                entry, new Location(in.uint(), (int) in.uint("offset", Integer.MAX_VALUE))));
      }
    }
    return new ForestNode.Leaf(entries);
  }

  private static ForestNode inner(CborReader in, int level, Map<Long, Bytes> nodes)
      throws MalformedException {
    int cuts = in.array();
    List<Bytes> separators = new ArrayList<>(cuts);
    for (int i = 0; i < cuts; i++) {
      separators.add(Bytes.wrap(in.bytes()));
    }
    in.array("children", cuts + 1);
    List<ForestNode> children = new ArrayList<>(cuts + 1);
    for (int i = 0; i <= cuts; i++) {
      ForestNode child = node(in.uint(), nodes);
      if (child.level() != level - 1) {
        throw new MalformedException("child of level " + child.level() + " below " + level);
      }
      children.add(child);
    }
    return new ForestNode.Inner(level, children, separators);
  }

  private Bytes key(byte kind) {
    byte[] key = new byte[1 + STRAND_BYTES];
    key[0] = kind;
    strand.ledger().digest().copyInto(key, 1);
    int number = strand.strand();
    for (int i = 0; i < Integer.BYTES; i++) {
      key[1 + 32 + i] = (byte) (number >>> (24 - 8 * i));
    }
    return Bytes.wrap(key);
  }

  private Bytes nodeKey(long id) {
    byte[] key = new byte[1 + STRAND_BYTES + Long.BYTES];
    key(NODE).copyInto(key, 0);
    for (int i = 0; i < Long.BYTES; i++) {
      key[1 + STRAND_BYTES + i] = (byte) (id >>> (56 - 8 * i));
    }
    return Bytes.wrap(key);
  }

  private static long number(Bytes key, int at) {
    long number = 0;
    for (int i = at; i < key.size(); i++) {
      number = number << 8 | (key.unsafeArray()[i] & 0xff);
    }
    return number;
  }
}
