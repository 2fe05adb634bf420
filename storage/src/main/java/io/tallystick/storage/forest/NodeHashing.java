package io.tallystick.storage.forest;

import io.tallystick.cbor.CborWriter;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.forest.StateNode;
import io.tallystick.model.Digest;
import java.util.Arrays;
import java.util.List;

/// Hashes nodes of one level in bulk: the records of many nodes, then their RFC 9162 trees level by
/// level, then their separators, then the nodes. Allocation-free per node but for its hash, once
/// its buffers have grown. One thread's. Source: `docs/formats/forest.md`, "Bytes".
final class NodeHashing {
  private static final int MESSAGES_MIN = 1 << 13;
  private static final int CALLS = 4; // as many records as so many calls should have messages
  private static final byte[] NODE_PREFIX = {2};
  private static final byte[] KEYS_PREFIX = {3};

  private final CborWriter messages = new CborWriter(MESSAGES_MIN);
  private int[] offsets = new int[StateNode.RECORDS_MAX + 1];
  private byte[] records = {};
  private byte[] pairs = {};
  private byte[] keys = {};
  private int[] widths = {};
  private final RecordHashes kept = new RecordHashes(messages);
  private int count; // of messages

  /// Gives each of `pages[from, to)` the hash of what it holds.
  void hash(List<? extends ForestPage> pages, int from, int to, BatchHasher hasher) {
    long most = (long) CALLS * hasher.callMessages();
    int first = from;
    while (first < to) {
      long together = pages.get(first).count();
      int end = first + 1;
      while (end < to && together + pages.get(end).count() <= most) {
        together += pages.get(end++).count();
      }
      boolean keep = pages.get(first).keepsHashes();
      hashTogether(pages.subList(first, end), (int) together, keep, hasher);
      first = end;
    }
  }

  /// Gives a page its hash, and those of its records for the page that takes its place. For the
  /// owner.
  void hashToReplace(ForestPage page, BatchHasher hasher) {
    hashTogether(List.of(page), page.count(), true, hasher);
  }

  private void hashTogether(
      List<? extends ForestPage> pages, int together, boolean keep, BatchHasher hasher) {
    records = ofDigests(records, together);
    keys = ofDigests(keys, pages.size());
    if (keep) {
      kept.compute(pages, together, records, hasher);
    } else {
      hashRecords(pages, hasher);
    }
    begin();
    for (ForestPage page : pages) {
      messages.raw(KEYS_PREFIX, 0, 1);
      page.encodeSeparators(messages);
      endMessage();
    }
    hasher.sha256(messages.buffer(), offsets, count, keys, 0);
    begin();
    for (int i = 0; i < pages.size(); i++) {
      ForestPage page = pages.get(i);
      messages.raw(NODE_PREFIX, 0, 1).array(4).uint(page.level()).uint(page.count());
      messages.bytes(keys, i * Digest.BYTES, Digest.BYTES);
      messages.bytes(records, i * Digest.BYTES, Digest.BYTES);
      endMessage();
    }
    hasher.sha256(messages.buffer(), offsets, count, keys, 0);
    for (int i = 0; i < pages.size(); i++) {
      pages.get(i).hash(Digest.of(keys, i * Digest.BYTES));
    }
  }

  private void hashRecords(List<? extends ForestPage> pages, BatchHasher hasher) {
    widths = widths.length < pages.size() ? new int[pages.size()] : widths;
    begin();
    for (int i = 0; i < pages.size(); i++) {
      ForestPage page = pages.get(i);
      widths[i] = page.count();
      for (int k = 0; k < page.count(); k++) {
        page.encodeRecord(k, messages);
        endMessage();
      }
    }
    hasher.leaves(messages.buffer(), offsets, count, records, 0);
    reduce(pages.size(), hasher);
  }

  private void begin() {
    messages.reset();
    count = 0;
  }

  private void endMessage() {
    if (++count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
    }
    offsets[count] = messages.length();
  }

  private static byte[] ofDigests(byte[] array, int digests) {
    return array.length < digests * Digest.BYTES ? new byte[digests * Digest.BYTES] : array;
  }

  /// Makes of each node's record hashes, which lie one node behind the other, its root. In each
  /// round the pairs of all nodes are joined at once; an odd last hash moves up as it is.
  private void reduce(int nodes, BatchHasher hasher) {
    pairs = ofDigests(pairs, records.length / Digest.BYTES);
    while (true) {
      int joined = gather(nodes);
      if (joined == 0) {
        return;
      }
      hasher.parents(pairs, 0, joined, pairs, 0);
      scatter(nodes);
    }
  }

  /// Copies all pairs to {@link #pairs}.
  ///
  /// @return how many there are
  private int gather(int nodes) {
    int at = 0;
    int to = 0;
    for (int i = 0; i < nodes; i++) {
      int bytes = widths[i] / 2 * 2 * Digest.BYTES;
      System.arraycopy(records, at, pairs, to, bytes);
      to += bytes;
      at += widths[i] * Digest.BYTES;
    }
    return to / (2 * Digest.BYTES);
  }

  /// Lays the parents out as the records were, which is never behind where they are read.
  private void scatter(int nodes) {
    int from = 0;
    int at = 0;
    int old = 0;
    for (int i = 0; i < nodes; i++) {
      int width = widths[i];
      int bytes = width / 2 * Digest.BYTES;
      old += width * Digest.BYTES;
      System.arraycopy(pairs, from, records, at, bytes);
      from += bytes;
      at += bytes;
      if (width % 2 == 1) {
        System.arraycopy(records, old - Digest.BYTES, records, at, Digest.BYTES);
        at += Digest.BYTES;
      }
      widths[i] = width / 2 + width % 2;
    }
  }
}
