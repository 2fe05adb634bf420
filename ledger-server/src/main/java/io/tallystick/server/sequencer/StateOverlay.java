package io.tallystick.server.sequencer;

import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The values that the last blocks of all strands wrote, the blocks that are not indexed yet among
/// them. Bounded: the oldest blocks go first, whole. Owner thread only.
final class StateOverlay {
  private record Write(long height, Standing standing) {}

  /// The keys that a block wrote, each as often as it did.
  private static final class Block {
    private final StrandId strand;
    private final long height;
    private final List<Bytes> keys = new ArrayList<>();

    private Block(StrandId strand, long height) {
      this.strand = strand;
      this.height = height;
    }
  }

  /// Hears what is forgotten.
  @FunctionalInterface
  interface Forgotten {
    /// The writes of a block, and of all before it in its strand.
    void upTo(StrandId strand, long height);
  }

  private final int keysMax;
  private final Map<StrandId, Map<Bytes, Write>> strands = new HashMap<>();
  private final Map<StrandId, Block> newest = new HashMap<>();
  private final Deque<Block> blocks = new ArrayDeque<>();
  private int keys;

  /// @param keysMax writes that are remembered between two steps
  StateOverlay(int keysMax) {
    this.keysMax = keysMax;
  }

  /// The newest remembered write of a key; null if there is none.
  @Nullable Standing newest(StrandId strand, Bytes key) {
    Map<Bytes, Write> writes = strands.get(strand);
    Write write = writes == null ? null : writes.get(key);
    return write == null ? null : write.standing;
  }

  /// Adds what a submission wrote.
  ///
  /// @return takes it back, if nothing was added or forgotten since but what is taken back already
  Runnable add(StrandId strand, long height, Map<Bytes, Standing> written) {
    Map<Bytes, Write> writes = strands.computeIfAbsent(strand, _ -> new HashMap<>());
    Block block = newest.get(strand);
    if (block == null || block.height != height) {
      block = new Block(strand, height);
      newest.put(strand, block);
      blocks.add(block);
    }
    Block added = block;
    Map<Bytes, @Nullable Write> before = new HashMap<>();
    written.forEach((key, standing) -> {
      before.put(key, writes.put(key, new Write(height, standing)));
      added.keys.add(key);
    });
    keys += written.size();
    return () -> {
      before.forEach((key, write) -> {
        if (write == null) {
          writes.remove(key);
        } else {
          writes.put(key, write);
        }
      });
      added.keys.subList(added.keys.size() - written.size(), added.keys.size()).clear();
      keys -= written.size();
      if (added.keys.isEmpty()) {
        blocks.remove(added);
        newest.remove(strand, added);
      }
    };
  }

  /// Forgets the oldest blocks while there are too many writes. Before a step, so that one that is
  /// undone is undone exactly.
  void trim(Forgotten forgotten) {
    while (keys > keysMax) {
      Block block = blocks.remove();
      Map<Bytes, Write> writes = strands.getOrDefault(block.strand, new HashMap<>());
      for (Bytes key : block.keys) {
        Write write = writes.get(key);
        if (write != null && write.height == block.height) {
          writes.remove(key);
        }
      }
      if (writes.isEmpty()) {
        strands.remove(block.strand);
      }
      newest.remove(block.strand, block);
      keys -= block.keys.size();
      forgotten.upTo(block.strand, block.height);
    }
  }
}
