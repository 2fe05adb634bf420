package io.tallystick.storage.patricia;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.page.SlotLimits;
import io.tallystick.storage.page.SlotSizes;
import io.tallystick.storage.page.SlotStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The tries of one shard: one set of slot files, the workers that update them, and the memory that
/// their nodes may take. An idle trie costs its root's hash and address. One owner thread edits and
/// saves; any thread reads.
public final class PatriciaStore implements AutoCloseable {
  private static final String NAME = "patricia";
  private static final int PRUNINGS_MAX = 8;

  private final MetaStore meta;
  private final SlotStore slots;
  private final Workers workers;
  private final int nodesMax;
  private final Trace[] traces;
  private final NodeCodec codec = new NodeCodec();
  private final Map<StrandId, PatriciaTrie> tries = new ConcurrentHashMap<>();
  private final ThreadLocal<Reading> reading = ThreadLocal.withInitial(Reading::new);
  private boolean failed;
  private long epoch;
  private long unsaved; // nodes that are in no slot, about
  private long pruned; // nodes of earlier epochs are not in memory

  /// The buffers that a thread needs to read nodes.
  private static final class Reading {
    private final NodeCodec codec = new NodeCodec();
    private final NodeEncoder encoder = new NodeEncoder();
  }

  private PatriciaStore(
      MetaStore meta, SlotStore slots, Workers workers, BatchHasher hasher, int nodesMax) {
    this.meta = meta;
    this.slots = slots;
    this.workers = workers;
    this.nodesMax = nodesMax;
    this.traces = new Trace[workers.count()];
    Arrays.setAll(traces, _ -> new Trace(hasher));
  }

  /// Opens the tries as the last savepoint left them.
  ///
  /// @param workers not closed by this store
  /// @param hasher hashes the levels of an edit
  /// @param nodesMax nodes kept in memory beyond a savepoint, of some 200 bytes each
  public static PatriciaStore restore(
      Disk disk,
      MetaStore meta,
      Workers workers,
      BatchHasher hasher,
      SlotLimits limits,
      int nodesMax)
      throws IOException, CorruptStreamException {
    SlotStore slots = SlotStore.restore(disk, meta, NAME, SlotSizes.TRIES, limits);
    return new PatriciaStore(meta, slots, workers, hasher, nodesMax);
  }

  /// The trie of a strand, opened once.
  public PatriciaTrie trie(StrandId strand) throws IOException, CorruptStreamException {
    PatriciaTrie open = tries.get(strand);
    if (open != null) {
      return open;
    }
    Bytes row = meta.get(TrieHead.key(strand));
    @Nullable TrieHead head = row == null ? null : TrieHead.decode(strand, row);
    PatriciaTrie trie = new PatriciaTrie(this, strand, head);
    PatriciaTrie raced = tries.putIfAbsent(strand, trie);
    return raced == null ? trie : raced;
  }

  /// An empty trie, to be rebuilt from the journals beside the one that a strand has.
  public PatriciaTrie startOver(StrandId strand) {
    return PatriciaTrie.unpublished(this, strand);
  }

  /// Replaces the strand's trie by a rebuilt one and gives up the slots of the old one. The next
  /// savepoint holds it. For the owner.
  ///
  /// @param oldRoot what the strand's trie should have had as its root
  /// @return damaged nodes of the old trie; the slots of what lies below them stay taken until all
  ///   tries are filled again ({@link #erase}). All of them, when the old trie's row is damaged, or
  ///   leads to another root, whose slots may be another trie's: -1
  public long publish(PatriciaTrie trie, Digest oldRoot) throws IOException {
    @Nullable PatriciaTrie old;
    try {
      old = trie(trie.strand());
    } catch (CorruptStreamException _) {
      old = null;
    }
    tries.put(trie.strand(), trie);
    trie.publish();
    if (old == null) {
      return -1;
    }
    Digest root = old.view().root();
    return root.equals(oldRoot) || root.equals(TrieView.EMPTY_ROOT) ? old.abandon() : -1;
  }

  /// Whether a row of the meta store is of a trie, or of the slots of any store.
  public static boolean isRow(Bytes key) {
    return SlotStore.isRow(key) || TrieHead.isRow(key);
  }

  /// Makes a store that is not open empty with `batch`, whatever it holds: all its tries are filled
  /// again. {@link #deleteFiles} follows when the batch is written.
  public static void erase(MetaStore meta, MetaBatch batch) throws IOException {
    SlotStore.erase(meta, NAME, batch);
    meta.scan(
        TrieHead.ALL,
        null,
        (key, _) -> {
          batch.delete(key);
          return true;
        });
  }

  /// Deletes the files of a store that was {@link #erase erased}.
  public static void deleteFiles(Disk disk) throws IOException {
    SlotStore.deleteFiles(disk, NAME, SlotSizes.TRIES);
  }

  /// Bytes of the slot files, and those of them that the newest version uses. For the owner.
  public SlotStore slots() {
    return slots;
  }

  Workers workers() {
    return workers;
  }

  Trace[] traces() {
    return traces;
  }

  NodeCodec codec() {
    return codec;
  }

  long nextEpoch() {
    return ++epoch;
  }

  Node load(StoredNode stored, int depth) throws IOException, CorruptStreamException {
    Reading own = reading.get();
    slots.read(stored.address, own.codec.array());
    Node node = own.codec.decode(stored.address, depth, slots);
    if (!own.encoder.hasHash(node, stored)) {
      throw slots.damage(stored.address, "node does not have the hash " + stored.digest());
    }
    node.sameHash(stored);
    return node;
  }

  /// Number of nodes of the newest versions that no savepoint holds, roughly. For the owner, which
  /// takes a savepoint before they are too many.
  public long unsavedNodes() {
    return unsaved;
  }

  /// Forces what the tries saved to this batch and puts into it what a restore needs; then lets go
  /// of nodes that were not changed for longest, if there are too many. For the owner, after {@link
  /// PatriciaTrie#savepoint} of each trie that changed.
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    begin();
    if (unsaved > 0) {
      slots.savepoint(batch, meta);
      unsaved = 0;
      prune();
    }
    end();
  }

  /// Part of a savepoint: if it does not come to its {@link #end}, nothing more is edited or saved,
  /// because nodes may be taken for written that are not.
  void begin() {
    checkUsable();
    failed = true;
  }

  void end() {
    failed = false;
  }

  void checkUsable() {
    if (failed) {
      throw new IllegalStateException("the tries' savepoint has failed");
    }
  }

  void made(long nodes) {
    unsaved += nodes;
  }

  private void prune() {
    long nodes = 0;
    for (PatriciaTrie trie : tries.values()) {
      nodes += trie.nodesInMemory();
    }
    for (int i = 1; nodes > nodesMax && i <= PRUNINGS_MAX; i++) {
      pruned = i == PRUNINGS_MAX ? epoch + 1 : epoch - ((epoch - pruned) >> 1);
      nodes = 0;
      for (PatriciaTrie trie : tries.values()) {
        nodes += trie.prune(pruned);
      }
    }
  }

  @Override
  public void close() throws IOException {
    for (Trace trace : traces) {
      trace.hashing.close();
    }
    slots.close();
  }
}
