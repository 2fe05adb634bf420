package io.tallystick.storage.forest;

import io.tallystick.merkle.forest.PartitionSearch;
import io.tallystick.merkle.forest.RangeNode;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads one version of a state: values, deletions, and the proofs of them. One thread's.
public final class ForestReader implements AutoCloseable {
  /// Bytes of an entry in a proof, but for its key: commitment, size, jsn, and its share of a node.
  private static final int ENTRY_BYTES = 96;

  private final StateRoot root;
  private final List<ForestPartition> partitions;
  private final PageCache cache;
  private final Runnable onClose;
  private boolean closed;

  /// @param partitions whose pages are retained
  ForestReader(
      StateRoot root, List<ForestPartition> partitions, PageCache cache, Runnable onClose) {
    this.root = root;
    this.partitions = partitions;
    this.cache = cache;
    this.onClose = onClose;
  }

  /// The root of the state that is read.
  public StateRoot root() {
    return root;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("reader is closed");
    }
  }

  /// The newest entry of a key, which may be a tombstone; empty if no partition has one.
  ///
  /// @throws CorruptStreamException if a node on the way is damaged
  public Optional<HeldEntry> find(Bytes key) throws IOException, CorruptStreamException {
    checkOpen();
    SoughtKey sought = new SoughtKey(key);
    for (ForestPartition partition : partitions.reversed()) {
      HeldEntry held = partition.find(cache, sought);
      if (held != null) {
        return Optional.of(held);
      }
    }
    return Optional.empty();
  }

  /// The answer of {@link #find}, with its proof.
  ///
  /// @param held the newest entry of the key, which may be a tombstone; empty if there is none
  public record Proven(Optional<HeldEntry> held, StateLookup lookup) {}

  /// The newest entry of a key with its proof, at the cost of the proof.
  ///
  /// @throws CorruptStreamException if a node on the way is damaged
  public Proven proven(Bytes key) throws IOException, CorruptStreamException {
    checkOpen();
    SoughtKey sought = new SoughtKey(key);
    HeldEntry held = null;
    int first = partitions.size();
    while (held == null && first > 0) {
      first--;
      held = partitions.get(first).verified(cache, sought);
    }
    return new Proven(Optional.ofNullable(held), lookup(key, first));
  }

  /// The proof alone.
  ///
  /// @throws CorruptStreamException if a node on the way is damaged
  public StateLookup lookup(Bytes key) throws IOException, CorruptStreamException {
    return proven(key).lookup();
  }

  /// @param first the newest partition that has the key; the oldest if none has it
  private StateLookup lookup(Bytes key, int first) throws IOException, CorruptStreamException {
    List<PartitionSearch> searches = new ArrayList<>();
    for (ForestPartition partition : partitions.subList(first, partitions.size())) {
      searches.add(search(partition, key));
    }
    List<Bytes> encoded = partitions.stream().map(ForestPartition::encode).toList();
    List<Digest> roots = outside(encoded, first, partitions.size() - first);
    return new StateLookup(partitions.size(), first, roots, searches);
  }

  /// The newest entries of several keys, with one proof.
  ///
  /// @param held those of the keys that have one, tombstones too
  public record SeveralProven(Map<Bytes, HeldEntry> held, StateLookups lookups) {
    public SeveralProven {
      held = Map.copyOf(held);
    }
  }

  /// The newest entries of several keys with their proof, at the cost of the proof.
  ///
  /// @param keys strictly ascending, 2 to {@link StateLookups#KEYS_MAX}
  /// @param bytesMax of the proof, about
  /// @return empty if the proof would have more bytes, or more trees than one may have
  /// @throws CorruptStreamException if a node on the way is damaged
  public Optional<SeveralProven> several(List<Bytes> keys, long bytesMax)
      throws IOException, CorruptStreamException {
    checkOpen();
    KeyTrees trees = new KeyTrees(cache, bytesMax);
    List<StateLookups.Part> parts = new ArrayList<>();
    List<Bytes> pending = keys;
    int first = partitions.size();
    while (first > 0 && !pending.isEmpty()) {
      first--;
      StateLookups.Part part = trees.part(partitions.get(first), pending);
      if (part == null) {
        return Optional.empty();
      }
      parts.addFirst(part);
      pending = pending.stream().filter(key -> !trees.found().containsKey(key)).toList();
    }
    List<Bytes> encoded = partitions.stream().map(ForestPartition::encode).toList();
    List<Digest> roots = outside(encoded, first, partitions.size() - first);
    return Optional.of(
        new SeveralProven(trees.found(), new StateLookups(partitions.size(), first, roots, parts)));
  }

  private PartitionSearch search(ForestPartition partition, Bytes key)
      throws IOException, CorruptStreamException {
    List<PartitionSearch.Step> steps = new ArrayList<>();
    ForestPage page = cache.verified(partition.pages(), partition.root());
    while (true) {
      int slot = page.separators().slot(key);
      List<Bytes> records = page.records();
      steps.add(
          new PartitionSearch.Step(
              page.level(),
              page.separators(),
              records.get(slot),
              RecordTree.of(records).inclusionPath(slot)));
      if (!(page instanceof InnerPage inner)) {
        return new PartitionSearch(partition.encode(), steps);
      }
      page = cache.verified(partition.pages(), inner.child(slot));
    }
  }

  /// A page of the keys `[from, to)` that have a value.
  ///
  /// @param entries in key order
  /// @param end behind the last key that it covers; empty if it reaches the end of the state
  public record Page(List<HeldEntry> entries, Optional<Bytes> end) {}

  /// Takes memory for the page's entries and one leaf of each partition.
  ///
  /// @param to behind the last key; null for all from `from` on
  /// @param limit the most entries of the page, at least 1
  /// @param bytesMax it ends behind the key that passes so many bytes of entries looked at, those
  ///   of older partitions and tombstones included: about what its proof takes
  /// @throws CorruptStreamException if a node on the way is damaged
  public Page page(Bytes from, @Nullable Bytes to, int limit, long bytesMax)
      throws IOException, CorruptStreamException {
    checkOpen();
    NewestEntries newest = new NewestEntries(cache, partitions, from);
    List<HeldEntry> entries = new ArrayList<>();
    long bytes = 0;
    Bytes last = from;
    HeldEntry held = newest.next();
    while (held != null && (to == null || held.key().compareTo(to) < 0)) {
      if (bytes >= bytesMax && bytes > 0) {
        return new Page(entries, Optional.of(behind(last)));
      }
      if (held.entry().isPresent()) {
        if (entries.size() == limit) {
          return new Page(entries, Optional.of(behind(entries.getLast().key())));
        }
        entries.add(held);
      }
      last = held.key();
      bytes += (long) newest.passed() * (last.size() + ENTRY_BYTES);
      held = newest.next();
    }
    return new Page(entries, Optional.ofNullable(to));
  }

  /// The smallest key above `key`: where the next page begins behind one that ends with it.
  public static Bytes behind(Bytes key) {
    byte[] next = new byte[key.size() + 1];
    key.copyInto(next, 0);
    return Bytes.wrap(next);
  }

  /// That a page over these keys holds all of them.
  ///
  /// @throws CorruptStreamException if a node on the way is damaged
  public StateRange range(Bytes from, @Nullable Bytes to)
      throws IOException, CorruptStreamException {
    checkOpen();
    List<StateRange.Part> parts = new ArrayList<>();
    for (ForestPartition partition : partitions) {
      RangeNode node = rangeNode(partition.pages(), partition.root(), from, to);
      parts.add(new StateRange.Part(partition.encode(), node));
    }
    return new StateRange(parts);
  }

  private RangeNode rangeNode(PageSource pages, NodeRef ref, Bytes from, @Nullable Bytes to)
      throws IOException, CorruptStreamException {
    ForestPage page = cache.verified(pages, ref);
    int first = page.separators().slot(from);
    int last = to == null ? page.count() - 1 : page.separators().countBelow(to);
    List<RangeNode.Item> items = new ArrayList<>();
    for (int slot = first; slot <= last; slot++) {
      items.add(
          switch (page) {
            case LeafPage leaf -> new RangeNode.EntryItem(leaf.record(slot));
            case InnerPage inner ->
                new RangeNode.ChildItem(
                    inner.childEntries(slot), rangeNode(pages, inner.child(slot), from, to));
          });
    }
    List<Digest> roots = outside(page.records(), first, last - first + 1);
    return new RangeNode(page.level(), page.separators(), first, items, roots);
  }

  private static List<Digest> outside(List<Bytes> records, int first, int count) {
    return records.isEmpty() ? List.of() : RecordTree.of(records).outsideRange(first, count);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      partitions.forEach(partition -> partition.pages().release());
      onClose.run();
    }
  }
}
