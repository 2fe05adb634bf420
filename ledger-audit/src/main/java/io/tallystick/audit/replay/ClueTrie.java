package io.tallystick.audit.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The Ethereum Merkle Patricia trie of all clues, as plain nodes. Hashes are remembered, so a root
/// costs what changed since the last one. Beyond its memory the parts that were left alone longest
/// are spilled, first those with few clues, then what stands above them; a trie of any size needs
/// no more than one path of it in memory. Keys are never removed, as the format wants it. Not
/// thread-safe.
final class ClueTrie implements AutoCloseable {
  /// A branch with so many clues or fewer is spilled as one.
  private static final int SPILLED_TOGETHER_MAX = 32;

  private final ReplayMemory memory;
  private final SubtrieCodec codec;
  private final ReplayNodeHasher hasher = new ReplayNodeHasher();
  private final ReplayNode.Branch[] path = new ReplayNode.Branch[ReplayNode.NIBBLES];
  private int pathLength;
  private @Nullable ReplayNode root;
  private long clues;
  private long bytes;
  private long ticks;

  ClueTrie(ReplayMemory memory) {
    this.memory = memory;
    this.codec = new SubtrieCodec(memory);
  }

  long clues() {
    return clues;
  }

  /// Roughly what the nodes in memory take.
  long bytes() {
    return bytes;
  }

  long spilledBytes() {
    return codec.spilledBytes();
  }

  /// The clue of a key; a new one with count 0 if there was none, which must get an entry before
  /// the trie is hashed. To be told of with {@link #changed}.
  ReplayNode.Clue findOrAdd(byte[] key) throws IOException {
    ReplayNode node = descend(key);
    if (node == null) {
      return add(null, 0, key);
    }
    byte[] other = keyOf(node);
    int end = node instanceof ReplayNode.Branch branch ? branch.depth : ReplayNode.NIBBLES;
    int differs = ReplayNode.firstDifference(other, key, depth(), end);
    if (node instanceof ReplayNode.Clue clue && differs == ReplayNode.NIBBLES) {
      return clue;
    }
    return add(node, differs, key);
  }

  /// How many journals name the clue of a key; 0 if it is not there.
  long count(byte[] key) throws IOException {
    return descend(key) instanceof ReplayNode.Clue clue && Arrays.equals(clue.key, key)
        ? clue.count
        : 0;
  }

  /// Puts a clue as it was, of a key that is not there yet.
  void put(byte[] key, long count, long deletedJsn, byte[] subtrees) throws IOException {
    ReplayNode.Clue clue = findOrAdd(key);
    long before = clue.bytes();
    clue.count = count;
    clue.deletedJsn = deletedJsn;
    clue.subtrees = subtrees;
    changed(clue, clue.bytes() - before);
  }

  /// The nodes of the path to a clue that was just found hold another clue now.
  ///
  /// @param grown how much more memory the clue takes
  void changed(ReplayNode.Clue clue, long grown) throws IOException {
    clue.forgetHash();
    for (int i = 0; i < pathLength; i++) {
      path[i].forgetHash();
    }
    bytes += grown;
    if (bytes > memory.bytesMax()) {
      shrink();
    }
  }

  /// Sets the path to the branches above the place of a key.
  ///
  /// @return what stands there: nothing, a clue, or a branch that all share other nibbles than the
  ///   key's
  private @Nullable ReplayNode descend(byte[] key) throws IOException {
    pathLength = 0;
    ticks++;
    ReplayNode node = root;
    while (true) {
      if (node instanceof ReplayNode.Spilled spilled) {
        node = takeBack(spilled, key);
      }
      if (!(node instanceof ReplayNode.Branch branch)
          || ReplayNode.firstDifference(branch.key, key, depth(), branch.depth) < branch.depth) {
        return node;
      }
      branch.touched = ticks;
      path[pathLength++] = branch;
      node = branch.children[ReplayNode.nibble(key, branch.depth)];
    }
  }

  /// How many nibbles the branches of the path stand for.
  private int depth() {
    return pathLength == 0 ? 0 : path[pathLength - 1].depth + 1;
  }

  private static byte[] keyOf(ReplayNode node) {
    return switch (node) {
      case ReplayNode.Clue clue -> clue.key;
      case ReplayNode.Branch branch -> branch.key;
      case ReplayNode.Spilled _ -> throw new AssertionError("taken back on the way");
    };
  }

  /// Puts a new clue behind the path.
  ///
  /// @param beside what stands there; a branch at `differs` comes above both
  private ReplayNode.Clue add(@Nullable ReplayNode beside, int differs, byte[] key) {
    ReplayNode.Clue clue = new ReplayNode.Clue(key.clone());
    bytes += clue.bytes();
    ReplayNode placed = clue;
    if (beside != null) {
      ReplayNode.Branch branch = new ReplayNode.Branch(clue.key, differs);
      bytes += branch.bytes();
      branch.touched = ticks;
      branch.clues = beside instanceof ReplayNode.Branch below ? below.clues : 1;
      branch.children[ReplayNode.nibble(keyOf(beside), differs)] = beside;
      branch.children[ReplayNode.nibble(key, differs)] = clue;
      beside.forgetHash(); // what it stands for is shorter now
      placed = branch;
    }
    replace(placed, key);
    if (placed instanceof ReplayNode.Branch branch) {
      path[pathLength++] = branch;
    }
    for (int i = 0; i < pathLength; i++) {
      path[i].clues++;
    }
    clues++;
    return clue;
  }

  private void replace(ReplayNode node, byte[] key) {
    if (pathLength == 0) {
      root = node;
    } else {
      ReplayNode.Branch parent = path[pathLength - 1];
      parent.children[ReplayNode.nibble(key, parent.depth)] = node;
    }
  }

  private ReplayNode.Branch takeBack(ReplayNode.Spilled spilled, byte[] key) throws IOException {
    ReplayNode.Branch branch = codec.takeBack(spilled);
    bytes += below(branch) - spilled.bytes();
    replace(branch, key);
    return branch;
  }

  /// The memory, in bytes, of a node with all that is in memory below it.
  private static long below(ReplayNode node) {
    long sum = node.bytes();
    if (node instanceof ReplayNode.Branch branch) {
      for (ReplayNode child : branch.children) {
        sum += child == null ? 0 : below(child);
      }
    }
    return sum;
  }

  /// The hash of the root node.
  ///
  /// @return false if the trie is empty
  boolean root(byte[] target) {
    if (root == null) {
      return false;
    }
    hash(root, 0);
    root.copyHash(target, 0);
    return true;
  }

  private void hash(ReplayNode node, int depth) {
    if (node.hashed()) {
      return;
    }
    switch (node) {
      case ReplayNode.Clue clue -> hasher.leaf(clue, depth);
      case ReplayNode.Branch branch -> {
        for (ReplayNode child : branch.children) {
          if (child != null) {
            hash(child, branch.depth + 1);
          }
        }
        hasher.branch(branch, depth);
      }
      case ReplayNode.Spilled _ -> throw new AssertionError("only what is hashed is spilled");
    }
  }

  /// Spills until a quarter of the memory is free again, or nothing is left to spill.
  private void shrink() throws IOException {
    if (!(root instanceof ReplayNode.Branch top)) {
      return;
    }
    hash(top, 0);
    long wanted = memory.bytesMax() / 4 * 3;
    while (bytes > wanted) {
      List<Place> places = new ArrayList<>();
      collect(top, places);
      if (places.isEmpty()) {
        return;
      }
      places.sort(Comparator.comparingLong(Place::touched));
      for (int i = 0; i < places.size() && bytes > wanted; i++) {
        spill(places.get(i));
      }
    }
  }

  /// A branch that can be spilled.
  private record Place(ReplayNode.Branch parent, int nibble, ReplayNode.Branch branch) {
    long touched() {
      return branch.touched;
    }
  }

  private static void collect(ReplayNode.Branch parent, List<Place> places) {
    for (int i = 0; i < ReplayNode.RADIX; i++) {
      if (parent.children[i] instanceof ReplayNode.Branch branch) {
        if (branch.clues <= SPILLED_TOGETHER_MAX || !hasBranch(branch)) {
          places.add(new Place(parent, i, branch));
        } else {
          collect(branch, places);
        }
      }
    }
  }

  private static boolean hasBranch(ReplayNode.Branch branch) {
    for (ReplayNode child : branch.children) {
      if (child instanceof ReplayNode.Branch) {
        return true;
      }
    }
    return false;
  }

  private void spill(Place place) throws IOException {
    ReplayNode.Spilled spilled = codec.spill(place.branch);
    bytes += spilled.bytes() - below(place.branch);
    place.parent.children[place.nibble] = spilled;
  }

  /// Takes every clue.
  @FunctionalInterface
  interface Visitor {
    void visit(ReplayNode.Clue clue) throws IOException;
  }

  /// Visits all clues, ascending by key; what is spilled stays so.
  void forEach(Visitor visitor) throws IOException {
    if (root != null) {
      forEach(root, visitor);
    }
  }

  private void forEach(ReplayNode node, Visitor visitor) throws IOException {
    switch (node) {
      case ReplayNode.Clue clue -> visitor.visit(clue);
      case ReplayNode.Branch branch -> {
        for (ReplayNode child : branch.children) {
          if (child != null) {
            forEach(child, visitor);
          }
        }
      }
      case ReplayNode.Spilled spilled -> forEach(codec.read(spilled), visitor);
    }
  }

  @Override
  public void close() throws IOException {
    codec.close();
  }
}
