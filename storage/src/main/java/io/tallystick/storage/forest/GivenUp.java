package io.tallystick.storage.forest;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Arrays;

/// The nodes that a new version does without: addresses of those that are in slots, and how much
/// memory the others take. For the owner.
final class GivenUp {
  private long[] addresses = new long[16];
  private int count;
  private long unsavedBytes;
  private long lost;

  /// @param page of the node, as far as it is at hand
  void add(NodeRef ref, ForestPage page) {
    if (ref.isUnsaved()) {
      unsavedBytes += page.bytes();
    } else {
      add(ref.address());
      for (long rest : page.rest()) {
        add(rest);
      }
    }
  }

  private void add(long address) {
    if (count == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * count);
    }
    addresses[count++] = address;
  }

  /// A node and all below it, in slots or in memory. A slot is given up only once a good page was
  /// found in it or in the node above; what lies below a damaged one stays taken.
  ///
  /// @throws IOException if the disk fails, which says nothing of the nodes
  void addAll(SlotPages slots, PageCache cache, NodeRef ref) throws IOException {
    if (ref.level() == 0 && !ref.isUnsaved() && !SlotPages.mayGoOn(ref.address())) {
      add(ref.address()); // it need not be read
      return;
    }
    ForestPage page;
    try {
      page = cache.verified(slots, ref);
    } catch (CorruptStreamException _) {
      lost++;
      return;
    }
    add(ref, page);
    if (page instanceof InnerPage inner) {
      for (int slot = 0; slot < inner.count(); slot++) {
        addAll(slots, cache, inner.child(slot));
      }
    }
  }

  long[] addresses() {
    return Arrays.copyOf(addresses, count);
  }

  long unsavedBytes() {
    return unsavedBytes;
  }

  /// Damaged nodes.
  long lost() {
    return lost;
  }
}
