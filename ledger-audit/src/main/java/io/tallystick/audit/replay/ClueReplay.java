package io.tallystick.audit.replay;

import io.tallystick.merkle.patricia.ClueRoot;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/// Recomputes the clue trie of a strand from its journals, in order, with bounded memory. Not
/// thread-safe.
public final class ClueReplay implements AutoCloseable {
  private final ClueTrie trie;
  private final ClueTree trees = new ClueTree();
  private final byte[] key = new byte[Digest.BYTES];
  private final byte[] root = new byte[Digest.BYTES];

  public ClueReplay(ReplayMemory memory) {
    this(new ClueTrie(memory));
  }

  ClueReplay(ClueTrie trie) {
    this.trie = trie;
  }

  /// A journal that names this clue.
  ///
  /// @param array holds keccak256(clueId) at `keyAt`, and SHA-256(0x00 ‖ leaf hash) of the journal
  ///   at `entryAt`
  /// @param deletedJsn of the journal if it deletes the clue, else 0
  /// @throws IOException if what was spilled cannot be written or read
  public void append(byte[] array, int keyAt, int entryAt, long deletedJsn) throws IOException {
    System.arraycopy(array, keyAt, key, 0, Digest.BYTES);
    ReplayNode.Clue clue = trie.findOrAdd(key);
    long before = clue.bytes();
    trees.append(clue, array, entryAt);
    clue.deletedJsn = deletedJsn;
    trie.changed(clue, clue.bytes() - before);
  }

  /// The root over all clues so far; that of the empty trie if there are none.
  public Digest root() {
    return trie.root(root) ? Digest.of(root) : ClueRoot.EMPTY.digest();
  }

  /// How many clues there are.
  public long clues() {
    return trie.clues();
  }

  /// How many journals name a clue so far.
  ///
  /// @param key keccak256(clueId)
  public long count(Digest key) throws IOException {
    return trie.count(key.toArray());
  }

  /// How long the file is that holds what did not fit in memory; 0 if there is none.
  public long spilledBytes() {
    return trie.spilledBytes();
  }

  /// Writes all clues, for {@link #readFrom}.
  public void writeTo(OutputStream out) throws IOException {
    ClueRecords.write(trie, out);
  }

  /// Reads all clues, before any was appended. Their writer need not be trusted: compare the root.
  ///
  /// @throws MalformedException if they cannot have been written so
  public void readFrom(InputStream in) throws IOException, MalformedException {
    if (trie.clues() > 0) {
      throw new IllegalStateException("there are clues already");
    }
    ClueRecords.read(in, trie);
  }

  @Override
  public void close() throws IOException {
    trie.close();
  }
}
