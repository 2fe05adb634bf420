package io.tallystick.storage.patricia;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A node with children. While its edit goes on any worker may change them: by compare-and-set, or
/// under its optimistic lock, one way per edit.
abstract sealed class Inner extends Node permits RootHolder, BranchNode, ExtensionNode {
  private static final VarHandle CHILD = MethodHandles.arrayElementVarHandle(Node[].class);
  private static final VarHandle LOCK;
  private static final VarHandle CHANGED;

  private static final int LOCKED = 1;
  private static final int OBSOLETE = 2;
  private static final int VERSION = 4;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      LOCK = lookup.findVarHandle(Inner.class, "lock", int.class);
      CHANGED = lookup.findVarHandle(Inner.class, "changed", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final @Nullable Node[] children;

  @SuppressWarnings("UnusedVariable") // by its VarHandle
  private int lock; // version, obsolete bit, locked bit

  private int changed; // bit n: child n is another than when the node was last encoded

  Inner(long epoch, @Nullable Node[] children) {
    super(epoch);
    this.children = children;
  }

  final @Nullable Node child(int index) {
    return (Node) CHILD.getAcquire(children, index);
  }

  final void set(int index, Node child) {
    CHILD.setRelease(children, index, child);
    CHANGED.getAndBitwiseOr(this, 1 << index);
  }

  /// Whether `expected` was the child and `child` is now.
  final boolean replace(int index, @Nullable Node expected, Node child) {
    if (!CHILD.compareAndSet(children, index, expected, child)) {
      return false;
    }
    CHANGED.getAndBitwiseOr(this, 1 << index);
    return true;
  }

  /// Lets go of a child that is saved, only where it lies.
  final void forget(int index, StoredNode child) {
    CHILD.setRelease(children, index, child);
  }

  /// The children that changed since the last call. For the only user of the node.
  final int takeChanged() {
    int taken = changed;
    changed = 0;
    return taken;
  }

  /// Index of a child that is there.
  final int indexOf(Node child) {
    for (int i = 0; i < children.length; i++) {
      if (child(i) == child) {
        return i;
      }
    }
    return -1;
  }

  /// The version to validate what is read next; negative if the node is in the trie no more.
  final int readLock() {
    int version = (int) LOCK.getAcquire(this);
    while ((version & LOCKED) != 0) {
      Thread.onSpinWait();
      version = (int) LOCK.getAcquire(this);
    }
    return (version & OBSOLETE) != 0 ? -1 : version;
  }

  /// Whether nothing changed since the read lock of this version.
  final boolean isValid(int version) {
    VarHandle.loadLoadFence();
    return (int) LOCK.getOpaque(this) == version;
  }

  /// Makes the read lock a write lock; whether nothing changed since.
  final boolean lock(int version) {
    return LOCK.compareAndSet(this, version, version | LOCKED);
  }

  /// Gives the write lock back; the version that is valid now.
  final int unlock(int version) {
    int next = (version + VERSION) & Integer.MAX_VALUE;
    LOCK.setRelease(this, next);
    return next;
  }

  /// Gives the write lock back of a node that was taken out of the trie.
  final void unlockObsolete(int version) {
    LOCK.setRelease(this, ((version + VERSION) & Integer.MAX_VALUE) | OBSOLETE);
  }
}
