package io.tallystick.server.read;

import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.server.seal.StrandIndex;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// The newest older tree, and the newest tile, that readers of a strand have asked for and that was
/// proven under its head, and so under every later head: clients ask for many proofs in one tree,
/// and for the tiles of one tile. Bounded, at most 8 KiB for each of 512 strands; strands that fall
/// on one place take turns. Thread-safe.
final class ProvenTrees {
  private static final int PLACES = 512;

  private final AtomicReferenceArray<@Nullable Root> roots = new AtomicReferenceArray<>(PLACES);
  private final AtomicReferenceArray<@Nullable Hashes> tiles = new AtomicReferenceArray<>(PLACES);

  /// The root of an older tree that the head of a strand was proven to extend.
  ///
  /// @param strand not its id: what was proven counts while the same index is open
  private record Root(WeakReference<StrandIndex> strand, long size, JournalRoot root) {}

  /// Hashes of neighbouring complete subtrees of `256^level` leaves.
  ///
  /// @param first index of the first of them in its level
  record Hashes(WeakReference<StrandIndex> strand, int level, long first, Bytes hashes) {
    private boolean has(StrandIndex of, int wantedLevel, long index) {
      return strand.refersTo(of)
          && level == wantedLevel
          && index >= first
          && index - first < hashes.size() / Digest.BYTES;
    }

    Digest hash(long index) {
      return Digest.of(hashes.unsafeArray(), (int) (index - first) * Digest.BYTES);
    }
  }

  private static int place(StrandIndex strand) {
    return Math.floorMod(strand.strand().hashCode(), PLACES);
  }

  /// The root of the first `size` leaves; null if it was not proven lately.
  @Nullable JournalRoot root(StrandIndex strand, long size) {
    Root kept = roots.get(place(strand));
    return kept != null && kept.size == size && kept.strand.refersTo(strand) ? kept.root : null;
  }

  void keep(StrandIndex strand, long size, JournalRoot root) {
    roots.set(place(strand), new Root(new WeakReference<>(strand), size, root));
  }

  /// Hashes with the one at `index` among them; null if they were not proven lately.
  @Nullable Hashes hashes(StrandIndex strand, int level, long index) {
    Hashes kept = tiles.get(place(strand));
    return kept != null && kept.has(strand, level, index) ? kept : null;
  }

  Hashes keep(StrandIndex strand, int level, long first, Bytes hashes) {
    Hashes proven = new Hashes(new WeakReference<>(strand), level, first, hashes);
    tiles.set(place(strand), proven);
    return proven;
  }
}
