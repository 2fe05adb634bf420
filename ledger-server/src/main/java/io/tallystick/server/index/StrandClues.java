package io.tallystick.server.index;

import io.tallystick.crypto.Keccak256;
import io.tallystick.journal.HeaderClues;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.patricia.PatriciaTrie;
import io.tallystick.storage.patricia.TrieBatch;
import io.tallystick.storage.patricia.TrieView;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// The clues of one strand: the list of each clue's journals, and the trie that holds each clue's
/// count and root. Both advance by whole blocks. One owner thread applies and saves. Source:
/// `docs/formats/clue-trie.md`.
public final class StrandClues {
  private final ClueIndex index;
  private final PatriciaTrie trie;
  private final TrieBatch batch = new TrieBatch(16);
  private final byte[] key = new byte[Digest.BYTES];

  StrandClues(ClueIndex index, PatriciaTrie trie) {
    this.index = index;
    this.trie = trie;
  }

  /// The journals of each clue.
  public ClueIndex index() {
    return index;
  }

  /// The trie after the newest block applied.
  TrieView view() {
    return trie.view();
  }

  /// Adds a block's journals to the clues that they name.
  ///
  /// @param leafHashes of the block's journals, 32 bytes each
  /// @return the trie's root
  Digest apply(BlockInfo block, byte[] leafHashes) throws IOException, CorruptStreamException {
    for (int i = 0; i < block.journals(); i++) {
      HeaderClues clues = cluesOf(block, i);
      long jsn = block.firstJsn() + i;
      for (Digest clueId : clues.ids()) {
        if (clues.delete()) {
          index.delete(clueId, jsn, leafHashes, i * Digest.BYTES);
        } else {
          index.append(clueId, jsn, leafHashes, i * Digest.BYTES);
        }
      }
    }
    batch.clear();
    index.visitChanged(this::put);
    return trie.apply(batch);
  }

  private void put(Digest clueId, long count, Digest root, long deletedJsn) {
    clueId.copyInto(key, 0);
    Keccak256.hash(key, 0, key.length, key, 0);
    Bytes value = new ClueValue(count, root, deletedJsn).encode();
    batch.put(key, 0, value.unsafeArray());
  }

  static HeaderClues cluesOf(BlockInfo block, int journal) throws CorruptStreamException {
    try {
      return HeaderClues.of(
          block.headerArray(), block.headerPosition(journal), block.headerBytes(journal));
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          block.strand().toString(),
          block.firstJsn() + journal,
          "committed header does not decode: " + e.getMessage());
    }
  }

  void savepoint(MetaBatch into) throws IOException, CorruptStreamException {
    index.savepoint(into);
    trie.savepoint(into);
  }

  /// The batch of the last savepoint was written.
  void saved() {
    index.saved();
  }
}
