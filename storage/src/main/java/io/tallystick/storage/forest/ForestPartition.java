package io.tallystick.storage.forest;

import io.tallystick.merkle.forest.StatePartition;
import io.tallystick.model.Bytes;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A partition as of one block. Immutable.
///
/// @param pages where its nodes lie
record ForestPartition(
    long number, long firstHeight, OptionalLong lastHeight, NodeRef root, PageSource pages) {
  long entryCount() {
    return root.entryCount();
  }

  Bytes encode() {
    return new StatePartition(number, firstHeight, lastHeight, entryCount(), root.hash()).encode();
  }

  ForestPartition closedAt(long height) {
    return new ForestPartition(number, firstHeight, OptionalLong.of(height), root, pages);
  }

  boolean isOpen() {
    return lastHeight.isEmpty();
  }

  /// The entry of a key, as checksums vouch for it; null if the partition has none.
  @Nullable HeldEntry find(PageCache cache, SoughtKey key)
      throws IOException, CorruptStreamException {
    if (!pages.mayHold(key)) {
      return null;
    }
    ForestPage page = cache.verified(pages, root); // a row leads to it, and no page
    while (page instanceof InnerPage inner) {
      page = cache.get(pages, inner.child(inner.separators().slot(key.key())));
    }
    LeafPage leaf = (LeafPage) page;
    int index = leaf.indexOf(key.key().unsafeArray());
    return index < 0 ? null : leaf.held(index);
  }

  /// Whether it has a key, by nodes that have their hashes.
  boolean holds(PageCache cache, SoughtKey key) throws IOException, CorruptStreamException {
    LeafPage leaf = verifiedLeaf(cache, key);
    return leaf != null && leaf.indexOf(key.key().unsafeArray()) >= 0;
  }

  /// The entry of a key, by nodes that have their hashes; null if the partition has none.
  @Nullable HeldEntry verified(PageCache cache, SoughtKey key)
      throws IOException, CorruptStreamException {
    LeafPage leaf = verifiedLeaf(cache, key);
    int index = leaf == null ? -1 : leaf.indexOf(key.key().unsafeArray());
    return leaf == null || index < 0 ? null : leaf.held(index);
  }

  /// The leaf that has the key if any has; null if none has.
  private @Nullable LeafPage verifiedLeaf(PageCache cache, SoughtKey key)
      throws IOException, CorruptStreamException {
    if (!pages.mayHold(key)) {
      return null;
    }
    ForestPage page = cache.verified(pages, root);
    while (page instanceof InnerPage inner) {
      page = cache.verified(pages, inner.child(inner.separators().slot(key.key())));
    }
    return (LeafPage) page;
  }
}
