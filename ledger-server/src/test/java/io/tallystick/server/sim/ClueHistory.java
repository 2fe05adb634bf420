package io.tallystick.server.sim;

import io.tallystick.crypto.Keccak256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The clues of a ledger as its journals name them, with a tree for each and the trie over all. It
/// only grows. Source: `docs/formats/lineage.md`.
final class ClueHistory {
  /// A journal of a clue.
  ///
  /// @param deletes whether it deletes the clue
  record Entry(long jsn, boolean deletes) {}

  /// A clue that was used.
  static final class Clue {
    private final List<Entry> entries = new ArrayList<>();
    private final GrowingTree tree = new GrowingTree();

    /// Its journals below `size`, the log's.
    List<Entry> below(long size) {
      int low = 0;
      int high = entries.size();
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (entries.get(middle).jsn() < size) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return entries.subList(0, low);
    }

    /// RLP of count, root and the jsn of the journal that deleted it, or 0.
    private Bytes value() {
      Entry last = entries.getLast();
      Digest root = tree.rootAt(entries.size());
      String items =
          number(entries.size()) + "a0" + root.hex() + number(last.deletes() ? last.jsn() : 0);
      return Bytes.fromHex(String.format(Locale.ROOT, "%02x", 0xc0 + items.length() / 2) + items);
    }

    private static String number(long number) {
      if (number == 0) {
        return "80";
      }
      String hex = Long.toHexString(number);
      String whole = hex.length() % 2 == 0 ? hex : "0" + hex;
      return number < 0x80
          ? whole
          : String.format(Locale.ROOT, "%02x", 0x80 + whole.length() / 2) + whole;
    }
  }

  private final Map<Digest, Clue> clues = new HashMap<>();
  private final Map<Digest, Clue> changed = new HashMap<>();
  private final ReferenceTrie trie = new ReferenceTrie();
  private Digest root = trie.root();

  void add(Digest clueId, long jsn, Digest leafHash, boolean deletes) {
    Clue clue = clues.computeIfAbsent(clueId, _ -> new Clue());
    clue.entries.add(new Entry(jsn, deletes));
    clue.tree.add(Sent.leafHash(leafHash.toBytes()));
    changed.put(clueId, clue);
  }

  /// Null if no journal names it.
  @Nullable Clue clue(Digest clueId) {
    return clues.get(clueId);
  }

  /// Of the trie over all clues as they are.
  Digest root() {
    if (!changed.isEmpty()) {
      changed.forEach(
          (id, clue) -> trie.put(Keccak256.hash(id.toArray()).toArray(), clue.value().toArray()));
      changed.clear();
      root = trie.root();
    }
    return root;
  }
}
