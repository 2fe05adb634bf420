package io.tallystick.server.read;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The upper levels of the tree over a batch's requestHashes, so that a member's own proof costs
/// eight headers and not the whole batch: some 8 bytes a member. Immutable. Source: RFC 9162
/// section 2.1.3.
final class BatchTree {
  /// Members below one kept node.
  static final int GROUP = 8;

  private static final int GROUP_LEVEL = 3;
  private static final BatchHasher HASHER = BatchHasher.cpu();

  private final Bytes attestation;
  private final Digest attestHash;
  private final int count;
  private final List<byte[]> levels; // from GROUP_LEVEL up to the root
  private final Digest root;

  /// @param hashes the leaf hash of each requestHash, in order; overwritten
  BatchTree(Bytes attestation, Digest attestHash, byte[] hashes) {
    this.attestation = attestation;
    this.attestHash = attestHash;
    this.count = hashes.length / Digest.BYTES;
    this.levels = new ArrayList<>();
    int width = count;
    for (int level = 0; level < GROUP_LEVEL || width > 1; level++) {
      if (level >= GROUP_LEVEL) {
        levels.add(Arrays.copyOf(hashes, width * Digest.BYTES));
      }
      width = TreeHasher.parentLevel(HASHER, hashes, width);
    }
    root = Digest.of(hashes, 0);
  }

  /// About what a tree takes of memory.
  static int costBytes(int members, int attestationBytes) {
    return 8 * members + attestationBytes + 512;
  }

  Bytes attestation() {
    return attestation;
  }

  Digest attestHash() {
    return attestHash;
  }

  /// That member `index` is in the batch.
  ///
  /// @param group the leaf hashes of its group of {@link #GROUP}; overwritten
  /// @throws ProofRejectedException if they are not those the tree was made of
  InclusionProof proof(int index, byte[] group) throws ProofRejectedException {
    int inGroup = index % GROUP;
    Digest leaf = Digest.of(group, inGroup * Digest.BYTES);
    List<Digest> path = new ArrayList<>(GROUP_LEVEL + levels.size());
    int width = group.length / Digest.BYTES;
    for (int level = 0; level < GROUP_LEVEL; level++) {
      addSibling(path, group, width, inGroup >> level);
      width = TreeHasher.parentLevel(HASHER, group, width);
    }
    int position = index / GROUP;
    for (byte[] level : levels) {
      addSibling(path, level, level.length / Digest.BYTES, position);
      position >>= 1;
    }
    InclusionProof proof = new InclusionProof(index, count, path);
    if (!proof.rootFrom(leaf).equals(root)) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.ROOT_MISMATCH, "the batch's headers have changed");
    }
    return proof;
  }

  private static void addSibling(List<Digest> path, byte[] level, int width, int position) {
    int sibling = position ^ 1;
    if (sibling < width) {
      path.add(Digest.of(level, sibling * Digest.BYTES));
    }
  }
}
