package io.tallystick.storage.forest;

import io.tallystick.storage.page.SlotList;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// The nodes that a new version does without: addresses of those that are in slots, and how much
/// memory the others take. For the owner.
final class GivenUp {
  private final AddressList addresses = new AddressList();
  private long unsavedBytes;
  private long lost;

  /// The nodes of a version that are in slots, as far as they are found.
  static GivenUp of(ForestVersion version, PageCache cache) throws IOException {
    GivenUp all = new GivenUp();
    for (ForestPartition partition : version.partitions()) {
      if (partition.pages() instanceof SlotPages pages) {
        all.addAll(pages, cache, partition.root());
      }
    }
    return all;
  }

  /// @param page of the node, as far as it is at hand
  void add(NodeRef ref, ForestPage page) {
    if (ref.isUnsaved()) {
      unsavedBytes += page.bytes();
    } else {
      addresses.add(ref.address());
      for (long rest : page.rest()) {
        addresses.add(rest);
      }
    }
  }

  void add(long address) {
    addresses.add(address);
  }

  /// The slots of another.
  void add(GivenUp other) {
    for (long address : other.addresses()) {
      addresses.add(address);
    }
  }

  /// A node and all below it, in slots or in memory. A slot is given up only once a good page was
  /// found in it or in the node above; what lies below a damaged one stays taken.
  ///
  /// @throws IOException if the disk fails, which says nothing of the nodes
  void addAll(SlotPages slots, PageCache cache, NodeRef ref) throws IOException {
    if (ref.level() == 0 && !ref.isUnsaved() && !SlotPages.mayGoOn(ref.address())) {
      addresses.add(ref.address()); // it need not be read
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
    return addresses.values();
  }

  SlotList slots() {
    return SlotList.of(addresses());
  }

  long unsavedBytes() {
    return unsavedBytes;
  }

  /// Damaged nodes.
  long lost() {
    return lost;
  }
}
