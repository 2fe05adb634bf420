package io.tallystick.bench.gpu;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.hashing.BatchHasher;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// All node hashes of a complete RFC 9162 tree, from leaf hashes on the heap to nodes on the heap.
record TreeRootCase(BatchHasher hasher, int leaves) implements MeasuredCase {
  private static final double WANTED = 5;

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    byte[] from = new byte[leaves * 32];
    new SplittableRandom(2).nextBytes(from);
    byte[] nodes = new byte[(leaves - 1) * 32];
    int parts = Math.min(AllCores.parts(), leaves / 2);
    int width = leaves / parts;
    byte[] parted = new byte[(leaves - 1) * 32];
    byte[] tops = new byte[parts * 32];
    try (AllCores cores = new AllCores()) {
      List<BenchCase> measured =
          SideBySide.measure(
              run,
              String.format(Locale.ROOT, "root-of-%d-leaves", leaves),
              "leaves/s",
              leaves,
              WANTED,
              () ->
                  hasher.subtrees(
                      MemorySegment.ofArray(from), leaves, 1, MemorySegment.ofArray(nodes)),
              () -> {
                cores.run(part -> subtree(from, width, part, parted, tops, parts));
                if (parts > 1) {
                  BatchHasher.cpu().subtrees(tops, 0, parts, 1, parted, (leaves - parts) * 32);
                }
              });
      // The roots: the last node of either.
      Digests.equal(last(nodes), last(parted));
      return measured;
    }
  }

  private static void subtree(
      byte[] from, int width, int part, byte[] nodes, byte[] tops, int parts) {
    if (part < parts) {
      int at = part * (width - 1) * 32;
      BatchHasher.cpu().subtrees(from, part * width * 32, width, 1, nodes, at);
      System.arraycopy(nodes, at + (width - 2) * 32, tops, part * 32, 32);
    }
  }

  private static byte[] last(byte[] nodes) {
    return Arrays.copyOfRange(nodes, nodes.length - 32, nodes.length);
  }
}
