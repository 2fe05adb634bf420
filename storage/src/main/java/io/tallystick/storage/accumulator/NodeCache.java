package io.tallystick.storage.accumulator;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// The inner nodes that proofs read lately, shared by all accumulators of a shard: whole groups of
/// 16 stored hashes above the leaves, with the nodes between them and the next stored level. Such
/// nodes never change. A place for each group, given by its number, so that neighbours do not
/// displace each other: 8 MiB at most, which hold those of two million leaves. Thread-safe.
public final class NodeCache {
  private static final int PLACES = 8192;
  private static final long SPREAD = 0x9E3779B97F4A7C15L;
  private static final BatchHasher HASHER = BatchHasher.cpu();

  private final AtomicReferenceArray<@Nullable Group> groups = new AtomicReferenceArray<>(PLACES);
  private final AtomicLong owners = new AtomicLong();

  /// 16 hashes of a stored level, then the 8, 4 and 2 above them.
  static final class Group {
    private static final int NODES = 30;

    private final long owner;
    private final int level;
    private final long index;
    private final byte[] nodes = new byte[NODES * Digest.BYTES];

    private Group(long owner, int level, long index, byte[] hashes) {
      this.owner = owner;
      this.level = level;
      this.index = index;
      System.arraycopy(hashes, 0, nodes, 0, hashes.length);
      byte[] work = hashes.clone();
      int to = hashes.length;
      for (int width = Levels.FANOUT / 2; width >= 2; width /= 2) {
        HASHER.parents(work, 0, width, work, 0);
        System.arraycopy(work, 0, nodes, to, width * Digest.BYTES);
        to += width * Digest.BYTES;
      }
    }

    private boolean is(long wantOwner, int wantLevel, long wantIndex) {
      return owner == wantOwner && level == wantLevel && index == wantIndex;
    }

    /// @param above levels above the stored one
    /// @param place among the nodes of that level in this group
    Digest node(int above, int place) {
      int before = 2 * Levels.FANOUT - ((2 * Levels.FANOUT) >> above);
      return Digest.of(nodes, (before + place) * Digest.BYTES);
    }
  }

  /// One accumulator's part of the cache.
  final class Share {
    private final long owner = owners.incrementAndGet();

    /// @param above levels above the stored `level`
    /// @param place among the nodes of that level in the group
    @Nullable Digest find(int level, long index, int above, int place) {
      Group group = groups.get(place(level, index));
      return group != null && group.is(owner, level, index) ? group.node(above, place) : null;
    }

    /// @param hashes 16 of a stored level, all there
    Group keep(int level, long index, byte[] hashes) {
      Group group = new Group(owner, level, index, hashes);
      groups.set(place(level, index), group);
      return group;
    }

    private int place(int level, long index) {
      long start = ((owner * Levels.FANOUT + level / Levels.STEP) * SPREAD) >>> 32;
      return (int) ((start + index) % PLACES);
    }
  }

  /// A part for an accumulator that is being opened; nothing of an earlier opening is found in it.
  Share share() {
    return new Share();
  }
}
