package io.tallystick.server.sim;

import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The one log that a ledger may have, as the simulator keeps it: what was durable, in order, with
/// its seals and with a tree of its own. It only grows.
final class History {
  /// A leaf; `sent` is null for genesis and seals.
  record Entry(Bytes leaf, Digest leafHash, @Nullable Sent sent, int index, long timeMs) {}

  /// @param frame number of the frame that made it
  record Block(
      long height,
      long firstJsn,
      long sealJsn,
      long timeMs,
      long frame,
      Bytes seal,
      Digest sealHash,
      Digest root) {
    long size() {
      return sealJsn + 1;
    }
  }

  private final List<Entry> entries = new ArrayList<>();
  private final List<Block> blocks = new ArrayList<>();
  private final GrowingTree tree = new GrowingTree();
  private final ClueHistory clues = new ClueHistory();
  private final SimState state;

  /// @param stateParams null in a ledger without state
  History(@Nullable StateParams stateParams) {
    this.state = new SimState(stateParams);
  }

  int size() {
    return entries.size();
  }

  Entry entry(long jsn) {
    return entries.get((int) jsn);
  }

  /// Of the block that the next frame makes.
  long nextHeight() {
    return blocks.size();
  }

  Block block(long height) {
    return blocks.get((int) height);
  }

  Block last() {
    return blocks.getLast();
  }

  /// The block that holds a leaf.
  Block blockOf(long jsn) {
    int low = 0;
    int high = blocks.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (blocks.get(middle).firstJsn() <= jsn) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return blocks.get(low);
  }

  /// Leaves that the frames below `end` made.
  long sizeBefore(long end) {
    int low = 0;
    int high = blocks.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (blocks.get(middle).frame() < end) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? 0 : blocks.get(low - 1).size();
  }

  /// Whether a block ends with `size` leaves.
  @Nullable Block blockOfSize(long size) {
    if (size < 1 || size > size()) {
      return null;
    }
    Block block = blockOf(size - 1);
    return block.size() == size ? block : null;
  }

  /// Adds a leaf to the open block.
  void add(Bytes leaf, @Nullable Sent sent, int index, long timeMs) {
    Digest hash = Sent.leafHash(leaf);
    long jsn = size();
    entries.add(new Entry(leaf, hash, sent, index, timeMs));
    tree.add(hash);
    if (sent != null) {
      RequestHeader header = sent.verified.headers().get(index);
      boolean deletes = header.kind() == Kind.CLUE_DELETE;
      header.clueIds().forEach(id -> clues.add(id, jsn, hash, deletes));
      state.add(jsn, sent.request(index));
    }
  }

  /// Closes the open block as the format demands.
  void seal(long frame, long timeMs) {
    long firstJsn = blocks.isEmpty() ? 0 : last().size();
    Digest previous = blocks.isEmpty() ? Digest.ZERO : last().sealHash();
    long sealJsn = size();
    Bytes seal =
        new SealLeaf(
                new Jsn(sealJsn),
                timeMs,
                blocks.size(),
                previous,
                new Jsn(firstJsn),
                rootAt(sealJsn),
                clues.root(),
                state.seal())
            .encode();
    add(seal, null, 0, timeMs);
    blocks.add(
        new Block(
            blocks.size(),
            firstJsn,
            sealJsn,
            timeMs,
            frame,
            seal,
            entries.getLast().leafHash(),
            rootAt(sealJsn + 1)));
  }

  /// The root of the first `size` leaves, at least one.
  Digest rootAt(long size) {
    return tree.rootAt(size);
  }

  ClueHistory clues() {
    return clues;
  }

  SimState state() {
    return state;
  }
}
