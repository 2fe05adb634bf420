package io.tallystick.audit.chunk;

import io.tallystick.crypto.Keccak256;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import java.util.Arrays;

/// Which of consecutive journals name which clues, without an object for each, hashed as the clue
/// trie wants it. Filled by one thread, then read by another.
public final class ClueRow {
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

  public int count() {
    return count;
  }

  /// Index of the journal in its chunk.
  public int leaf(int index) {
    return leaves[index];
  }

  /// Whether the journal deletes the clue.
  public boolean deletion(int index) {
    return deletions[index];
  }

  /// The array all positions are in; not to be written to.
  public byte[] bytes() {
    return bytes;
  }

  /// Where keccak256(clueId) is.
  public int keyAt(int index) {
    return index * STRIDE + KEY;
  }

  /// Where SHA-256(0x00 ‖ leaf hash) of the journal is.
  public int entryAt(int index) {
    return index * STRIDE + ENTRY;
  }

  /// Where the clue id is.
  public int clueIdAt(int index) {
    return index * STRIDE + CLUE_ID;
  }

  public Digest clueId(int index) {
    return Digest.of(bytes, clueIdAt(index));
  }
}
