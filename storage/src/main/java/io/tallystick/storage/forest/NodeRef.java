package io.tallystick.storage.forest;

import io.tallystick.model.Digest;
import org.jspecify.annotations.Nullable;

/// A node as its parent or its partition refers to it: by its hash, and by its page while no
/// savepoint has written that, by its address from then on. Several versions may share it.
final class NodeRef {
  /// Not written yet.
  static final long UNSAVED = -1;

  private final int level;
  private final Digest hash;
  private final long entryCount;
  private long address; // read by others once they have seen that the page is gone
  private volatile @Nullable ForestPage page;

  private NodeRef(
      int level, Digest hash, long entryCount, long address, @Nullable ForestPage page) {
    this.level = level;
    this.hash = hash;
    this.entryCount = entryCount;
    this.address = address;
    this.page = page;
  }

  /// @param page hashed
  static NodeRef unsaved(ForestPage page) {
    return new NodeRef(page.level(), page.hash(), page.entryCount(), UNSAVED, page);
  }

  static NodeRef saved(int level, Digest hash, long entryCount, long address) {
    return new NodeRef(level, hash, entryCount, address, null);
  }

  int level() {
    return level;
  }

  Digest hash() {
    return hash;
  }

  long entryCount() {
    return entryCount;
  }

  /// {@link #UNSAVED} before it is written. For the owner, and for whoever found no {@link #page}.
  long address() {
    return address;
  }

  boolean isUnsaved() {
    return address == UNSAVED;
  }

  /// Null once it can be read at its address.
  @Nullable ForestPage page() {
    return page;
  }

  /// It is written there, and can be read soon.
  void saveAt(long newAddress) {
    address = newAddress;
  }

  /// It can be read at its address.
  void forget() {
    page = null;
  }
}
