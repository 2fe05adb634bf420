package io.tallystick.audit.replay;

import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.model.MalformedException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;

/// Clues as an auditor keeps them from one run to the next: ascending by key, each with what makes
/// its own tree go on. Source: `docs/formats/audit-statement.md`.
final class ClueRecords {
  private ClueRecords() {}

  static void write(ClueTrie trie, OutputStream out) throws IOException {
    DataOutputStream data = new DataOutputStream(out);
    data.writeLong(trie.clues());
    trie.forEach(clue -> {
      data.write(clue.key);
      data.writeLong(clue.count);
      data.writeLong(clue.deletedJsn);
      data.write(clue.subtrees, 0, Long.bitCount(clue.count) * ReplayNode.HASH_BYTES);
    });
    data.flush();
  }

  /// @param trie an empty one
  /// @throws MalformedException if this cannot have been written; what was read till then is in the
  ///   trie
  static void read(InputStream in, ClueTrie trie) throws IOException, MalformedException {
    DataInputStream data = new DataInputStream(in);
    byte[] previous = new byte[0];
    try {
      long clues = data.readLong();
      for (long i = 0; i < clues; i++) {
        byte[] key = new byte[ReplayNode.HASH_BYTES];
        data.readFully(key);
        if (Arrays.compareUnsigned(previous, key) >= 0) {
          throw new MalformedException("key " + i + " is not above the one before");
        }
        read(data, trie, key);
        previous = key;
      }
    } catch (EOFException e) {
      throw new MalformedException("it breaks off", e);
    }
    if (data.read() >= 0) {
      throw new MalformedException("bytes are left over behind the last clue");
    }
  }

  private static void read(DataInputStream data, ClueTrie trie, byte[] key)
      throws IOException, MalformedException {
    long count = data.readLong();
    long deletedJsn = data.readLong();
    if (count < 1 || deletedJsn < 0 || deletedJsn > ClueValue.JSN_MAX) {
      throw new MalformedException("count " + count + ", deleted at " + deletedJsn);
    }
    byte[] subtrees = new byte[Long.bitCount(count) * ReplayNode.HASH_BYTES];
    data.readFully(subtrees);
    trie.put(key, count, deletedJsn, subtrees);
  }
}
