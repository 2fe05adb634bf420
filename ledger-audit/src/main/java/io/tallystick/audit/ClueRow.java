package io.tallystick.audit;

import io.tallystick.crypto.Keccak256;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import java.util.Arrays;

/// Which of consecutive journals name which clues, without an object for each, hashed as the clue
/// trie wants it. Filled by one thread, then read by another.
final class ClueRow {
  private static final int KEY = 0;
  private static final int ENTRY = Digest.BYTES;
  private static final int CLUE_ID = 2 * Digest.BYTES;
  private static final int STRIDE = 3 * Digest.BYTES;

  private int[] leaves = new int[0];
  private boolean[] deletions = new boolean[0];
  private byte[] bytes = new byte[0];
  private int count;

  /// @param leaf index of the journal in its chunk, not below the one before
  /// @param hashes holds the journal's leaf hash at `hashAt`
  void add(int leaf, byte[] clueId, int clueIdAt, byte[] hashes, int hashAt, boolean deletion) {
    if (count == leaves.length) {
      int capacity = Math.max(16, 2 * count);
      leaves = Arrays.copyOf(leaves, capacity);
      deletions = Arrays.copyOf(deletions, capacity);
      bytes = Arrays.copyOf(bytes, capacity * STRIDE);
    }
    leaves[count] = leaf;
    deletions[count] = deletion;
    int at = count * STRIDE;
    Keccak256.hash(clueId, clueIdAt, Digest.BYTES, bytes, at + KEY);
    TreeHasher.leafHash(hashes, hashAt, Digest.BYTES).copyInto(bytes, at + ENTRY);
    System.arraycopy(clueId, clueIdAt, bytes, at + CLUE_ID, Digest.BYTES);
    count++;
  }

  int count() {
    return count;
  }

  /// Index of the journal in its chunk.
  int leaf(int index) {
    return leaves[index];
  }

  /// Whether the journal deletes the clue.
  boolean deletion(int index) {
    return deletions[index];
  }

  /// The array all positions are in; not to be written to.
  byte[] bytes() {
    return bytes;
  }

  /// Where keccak256(clueId) is.
  int keyAt(int index) {
    return index * STRIDE + KEY;
  }

  /// Where SHA-256(0x00 ‖ leaf hash) of the journal is.
  int entryAt(int index) {
    return index * STRIDE + ENTRY;
  }

  /// Where the clue id is.
  int clueIdAt(int index) {
    return index * STRIDE + CLUE_ID;
  }

  Digest clueId(int index) {
    return Digest.of(bytes, clueIdAt(index));
  }
}
