package io.tallystick.gpu;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.random.RandomGenerator;

/// Complete subtrees of one width, each of which fits into a lane. Their nodes come out chunk by
/// chunk, and lie level by level over all of them.
final class SubtreesCall implements DeviceCall {
  /// Of one launch: its blocks have as many threads as two leaves each for 2⁹ leaves.
  private static final int LEVELS_MAX = 9;

  private final RingSizes sizes;
  private final MemorySegment leaves;
  private final int width;
  private final int count;
  private final MemorySegment nodes;

  /// @param width at most {@link RingSizes#messagesMax}
  SubtreesCall(RingSizes sizes, MemorySegment leaves, int width, int count, MemorySegment nodes) {
    this.sizes = sizes;
    this.leaves = leaves;
    this.width = width;
    this.count = count;
    this.nodes = nodes;
  }

  @Override
  public int units() {
    return count;
  }

  @Override
  public int chunk(int first) {
    return Math.min(sizes.messagesMax() / width, count - first);
  }

  @Override
  public void computeOnCpu(int unit) {
    throw new AssertionError(unit);
  }

  @Override
  public void start(Lane lane, int first, int chunk) throws DeviceLostException {
    int below = chunk * width; // nodes of the level that the launch starts from
    lane.copyIn(leaves.asSlice((long) first * width * Digest.BYTES, (long) below * Digest.BYTES));
    long from = lane.input();
    long to = lane.output();
    int levels = Integer.numberOfTrailingZeros(width);
    while (levels > 0) {
      int part = Math.min(levels, LEVELS_MAX);
      lane.parameters().pointer(from).word(below).word(part).pointer(to);
      lane.launch(Kernel.RFC9162_SUBTREES, below / 2);
      int top = below >> part;
      to += (long) (below - top) * Digest.BYTES;
      from = to - (long) top * Digest.BYTES;
      below = top;
      levels -= part;
    }
    lane.copyOut(to - lane.output());
  }

  @Override
  public void finish(MemorySegment output, int first, int chunk) {
    long from = 0;
    for (int level = 1; width >> level > 0; level++) {
      long bytes = (long) chunk * (width >> level) * Digest.BYTES;
      long to = levelStart(level) + (long) first * (width >> level) * Digest.BYTES;
      MemorySegment.copy(output, from, nodes, to, bytes);
      from += bytes;
    }
  }

  /// Where a level begins among the nodes; 1 is that above the leaves.
  private long levelStart(int level) {
    return ((long) count * width - (long) count * (width >> (level - 1))) * Digest.BYTES;
  }

  @Override
  public void checkOne(RandomGenerator random) throws DeviceLostException {
    int level = random.nextInt(1, Integer.numberOfTrailingZeros(width) + 1);
    int node = random.nextInt(count * (width >> level));
    MemorySegment below = level == 1 ? leaves : nodes.asSlice(levelStart(level - 1));
    MemorySegment children = below.asSlice(2L * node * Digest.BYTES, 2L * Digest.BYTES);
    MemorySegment want = MemorySegment.ofArray(new byte[Digest.BYTES]);
    BatchHasher.cpu().parents(children, 1, want);
    long at = levelStart(level) + (long) node * Digest.BYTES;
    if (want.mismatch(nodes.asSlice(at, Digest.BYTES)) >= 0) {
      throw new DeviceLostException(
          String.format(
              Locale.ROOT,
              "the device answered with a wrong digest, of node %d of level %d of %d subtrees",
              node,
              level,
              count));
    }
  }
}
