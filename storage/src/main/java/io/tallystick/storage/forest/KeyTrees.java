package io.tallystick.storage.forest;

import io.tallystick.merkle.forest.LookupTree;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Makes the parts of one proof of several keys, up to so many bytes. One thread's.
final class KeyTrees {
  /// Bytes of a node beside its separators, records and roots; of a record or root beside its own.
  private static final int NODE_BYTES = 12;

  private static final int ITEM_BYTES = 4;

  private final PageCache cache;
  private final Map<Bytes, HeldEntry> found = new HashMap<>();
  private long bytesLeft;
  private int treesLeft = StateLookups.TREES_MAX;

  KeyTrees(PageCache cache, long bytesMax) {
    this.cache = cache;
    this.bytesLeft = bytesMax;
  }

  /// The newest entries of the keys that were found so far, tombstones too.
  Map<Bytes, HeldEntry> found() {
    return found;
  }

  /// The part of a partition.
  ///
  /// @param keys strictly ascending; those that no newer partition holds
  /// @return null if the proof becomes too large
  StateLookups.@Nullable Part part(ForestPartition partition, List<Bytes> keys)
      throws IOException, CorruptStreamException {
    LookupTree tree = tree(partition.pages(), partition.root(), keys);
    return tree == null ? null : new StateLookups.Part(partition.encode(), tree);
  }

  private @Nullable LookupTree tree(PageSource pages, NodeRef ref, List<Bytes> keys)
      throws IOException, CorruptStreamException {
    ForestPage page = cache.verified(pages, ref);
    List<Integer> slots = new ArrayList<>();
    List<LookupTree.Item> items = new ArrayList<>();
    int from = 0;
    while (from < keys.size()) {
      int slot = page.separators().slot(keys.get(from));
      int end = from + 1;
      while (end < keys.size() && page.separators().slot(keys.get(end)) == slot) {
        end++;
      }
      LookupTree.Item item = item(pages, page, slot, keys.subList(from, end));
      if (item == null) {
        return null;
      }
      slots.add(slot);
      items.add(item);
      from = end;
    }
    List<Digest> outside = RecordTree.of(page.records()).outside(slots);
    treesLeft--;
    bytesLeft -= NODE_BYTES + (long) outside.size() * (Digest.BYTES + ITEM_BYTES);
    for (Bytes separator : page.separators().values()) {
      bytesLeft -= separator.size() + ITEM_BYTES;
    }
    return bytesLeft < 0 || treesLeft < 0
        ? null
        : new LookupTree(page.level(), page.separators(), items, outside);
  }

  private LookupTree.@Nullable Item item(
      PageSource pages, ForestPage page, int slot, List<Bytes> keys)
      throws IOException, CorruptStreamException {
    return switch (page) {
      case LeafPage leaf -> {
        HeldEntry held = leaf.held(slot);
        if (keys.contains(held.key())) {
          found.put(held.key(), held);
        }
        Bytes record = leaf.record(slot);
        bytesLeft -= record.size() + ITEM_BYTES;
        yield new LookupTree.EntryItem(record);
      }
      case InnerPage inner -> {
        LookupTree child = tree(pages, inner.child(slot), keys);
        yield child == null ? null : new LookupTree.ChildItem(inner.childEntries(slot), child);
      }
    };
  }
}
