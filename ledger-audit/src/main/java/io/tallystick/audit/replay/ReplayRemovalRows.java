package io.tallystick.audit.replay;

import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// The journals that a removal can name: of each leaf its kind and hash, and which journals name
/// which clue; which of them were occulted, and which bodies are gone and wait for their removal.
/// Source: `docs/formats/audit-statement.md`. Not thread-safe.
public final class ReplayRemovalRows implements AutoCloseable {
  private static final int LEAF_BYTES = 1 + Digest.BYTES;
  private static final int CLUE_BYTES = Long.BYTES + Digest.BYTES;

  /// The number of parts of the memory for a replay, of which each table may take one.
  private static final int SHARE = 4;

  private final RowTable leaves;
  private final RowTable clues;
  private final ReplayJsnSet occulted = new ReplayJsnSet();
  private final ReplayJsnSet waiting = new ReplayJsnSet();
  private long firstJsn;

  public ReplayRemovalRows(ReplayMemory memory) {
    ReplayMemory share = new ReplayMemory(memory.bytesMax() / SHARE, memory.directory());
    this.leaves = new RowTable(LEAF_BYTES, share);
    this.clues = new RowTable(CLUE_BYTES, share);
  }

  /// Begins at a later leaf than the first, before any was added.
  public void beginAt(long jsn) {
    firstJsn = jsn;
  }

  /// The lowest jsn it knows.
  public long firstJsn() {
    return firstJsn;
  }

  /// The next leaf.
  ///
  /// @param kind of the journal's request; 0 for genesis and seals
  /// @param hashes holds its leaf hash at `at`
  public void addLeaf(int kind, byte[] hashes, int at) throws IOException {
    int row = leaves.append();
    leaves.block()[row] = (byte) kind;
    System.arraycopy(hashes, at, leaves.block(), row + 1, Digest.BYTES);
  }

  /// A clue that the journal names; jsns never fall.
  public void addClue(long jsn, byte[] clueId, int at) throws IOException {
    int row = clues.append();
    ByteBuffer.wrap(clues.block()).putLong(row, jsn);
    System.arraycopy(clueId, at, clues.block(), row + Long.BYTES, Digest.BYTES);
  }

  /// @return the kind of the journal's request; 0 for genesis and seals
  public int kind(long jsn) throws IOException {
    int row = leaves.seek(jsn - firstJsn);
    return leaves.block()[row];
  }

  public Digest leafHash(long jsn) throws IOException {
    int row = leaves.seek(jsn - firstJsn);
    return Digest.of(leaves.block(), row + 1);
  }

  /// The journals from `first` to `last`, both included, that name the clue.
  public ReplayJsnSet journals(Digest clueId, long first, long last) throws IOException {
    ReplayJsnSet found = new ReplayJsnSet();
    byte[] want = clueId.toArray();
    for (long row = lowerBound(first); row < clues.count(); row++) {
      int at = clues.seek(row);
      byte[] block = clues.block();
      long jsn = ByteBuffer.wrap(block).getLong(at);
      if (jsn > last) {
        break;
      }
      if (Arrays.equals(block, at + Long.BYTES, at + CLUE_BYTES, want, 0, want.length)) {
        found.add(jsn);
      }
    }
    return found;
  }

  /// The first row whose jsn is not below this one.
  private long lowerBound(long jsn) throws IOException {
    long from = 0;
    long to = clues.count();
    while (from < to) {
      long middle = (from + to) >>> 1;
      int at = clues.seek(middle);
      if (ByteBuffer.wrap(clues.block()).getLong(at) < jsn) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  /// The journals that were occulted.
  public ReplayJsnSet occulted() {
    return occulted;
  }

  /// The journals whose bodies are gone and that no removal has named yet.
  public ReplayJsnSet waiting() {
    return waiting;
  }

  /// Whether there is nothing to write.
  public boolean isEmpty() {
    return leaves.count() == 0 && occulted.isEmpty() && waiting.isEmpty();
  }

  /// Writes all of it, for {@link #readFrom}.
  public void writeTo(DataOutputStream out) throws IOException {
    out.writeLong(firstJsn);
    out.writeLong(leaves.count());
    leaves.writeTo(out);
    out.writeLong(clues.count());
    clues.writeTo(out);
    occulted.writeTo(out);
    waiting.writeTo(out);
  }

  /// Reads all of it, before any was added. Its writer is trusted.
  ///
  /// @throws MalformedException if it cannot have been written so
  public void readFrom(DataInputStream in) throws IOException, MalformedException {
    try {
      firstJsn = in.readLong();
      leaves.readFrom(in, in.readLong());
      clues.readFrom(in, in.readLong());
      occulted.readFrom(in);
      waiting.readFrom(in);
    } catch (EOFException e) {
      throw new MalformedException("it breaks off", e);
    }
  }

  /// The memory that the sets take, in bytes, roughly; the tables keep to their bound.
  public long setBytes() {
    return occulted.bytes() + waiting.bytes();
  }

  @Override
  public void close() throws IOException {
    try (leaves) {
      clues.close();
    }
  }
}
