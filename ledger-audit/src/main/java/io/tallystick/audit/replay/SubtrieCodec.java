package io.tallystick.audit.replay;

import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Spills branches with what is below them and brings them back. A record is checked against the
/// checksum that stayed in memory, which is also over its position: neither a changed record nor an
/// older one of the same place is taken for it. Not thread-safe.
final class SubtrieCodec implements AutoCloseable {
  private static final byte CLUE = 1;
  private static final byte BRANCH = 2;
  private static final byte SPILLED = 3;

  /// A branch with 16 clues, or with 32 clues in all, each with the 62 subtrees of the largest
  /// tree.
  private static final int RECORD_BYTES_MAX = 96 << 10;

  private final ReplayMemory memory;
  private final byte[] record = new byte[RECORD_BYTES_MAX];
  private final CRC32C checksum = new CRC32C();
  private @Nullable SpillFile file;

  SubtrieCodec(ReplayMemory memory) {
    this.memory = memory;
  }

  /// A branch that is hashed, with nothing below it but clues, spilled branches and branches of the
  /// same kind.
  ReplayNode.Spilled spill(ReplayNode.Branch branch) throws IOException {
    ByteBuffer out = ByteBuffer.wrap(record);
    try {
      write(branch, out);
    } catch (BufferOverflowException e) {
      throw new AssertionError("a subtrie of " + branch.clues + " clues has no room", e);
    }
    SpillFile spill = file;
    if (spill == null) {
      spill = new SpillFile(memory.directory());
      file = spill;
    }
    long position = spill.write(record, out.position());
    ReplayNode.Spilled spilled =
        new ReplayNode.Spilled(
            position, out.position(), checksum(position, out.position()), branch.clues);
    byte[] hash = new byte[ReplayNode.HASH_BYTES];
    branch.copyHash(hash, 0);
    spilled.setHash(hash, 0);
    return spilled;
  }

  /// Reads it and gives its place away.
  ReplayNode.Branch takeBack(ReplayNode.Spilled spilled) throws IOException {
    ReplayNode.Branch branch = read(spilled);
    file().free(spilled.position, spilled.size);
    return branch;
  }

  ReplayNode.Branch read(ReplayNode.Spilled spilled) throws IOException {
    file().read(spilled.position, record, spilled.size);
    if (checksum(spilled.position, spilled.size) != spilled.checksum) {
      throw damaged(spilled);
    }
    try {
      if (read(ByteBuffer.wrap(record, 0, spilled.size)) instanceof ReplayNode.Branch branch) {
        return branch;
      }
    } catch (BufferUnderflowException e) {
      throw new AssertionError("what has the right checksum is what was written", e);
    }
    throw damaged(spilled);
  }

  private IOException damaged(ReplayNode.Spilled spilled) {
    return new IOException(
        String.format(
            Locale.ROOT,
            "the auditor's temporary file in %s does not hold what was written at %d (%d bytes)",
            memory.directory(),
            spilled.position,
            spilled.size));
  }

  private SpillFile file() {
    if (file == null) {
      throw new AssertionError("nothing was spilled");
    }
    return file;
  }

  private int checksum(long position, int size) {
    checksum.reset();
    checksum.update(record, 0, size);
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      checksum.update((int) (position >>> shift));
    }
    return (int) checksum.getValue();
  }

  private static void write(ReplayNode node, ByteBuffer out) {
    switch (node) {
      case ReplayNode.Clue clue -> {
        out.put(CLUE).put(clue.key).putLong(clue.count).putLong(clue.deletedJsn);
        out.put(clue.subtrees, 0, Long.bitCount(clue.count) * ReplayNode.HASH_BYTES);
      }
      case ReplayNode.Branch branch -> {
        out.put(BRANCH).put(branch.key).put((byte) branch.depth).putLong(branch.clues);
        int mask = 0;
        for (int i = 0; i < ReplayNode.RADIX; i++) {
          mask |= branch.children[i] == null ? 0 : 1 << i;
        }
        out.putShort((short) mask);
        for (ReplayNode child : branch.children) {
          if (child != null) {
            write(child, out);
          }
        }
      }
      case ReplayNode.Spilled spilled ->
          out.put(SPILLED)
              .putLong(spilled.position)
              .putInt(spilled.size)
              .putInt(spilled.checksum)
              .putLong(spilled.clues);
    }
    byte[] hash = new byte[ReplayNode.HASH_BYTES];
    node.copyHash(hash, 0);
    out.put(hash);
  }

  private static ReplayNode read(ByteBuffer in) {
    byte type = in.get();
    ReplayNode node =
        switch (type) {
          case CLUE -> clue(in);
          case BRANCH -> branch(in);
          case SPILLED ->
              new ReplayNode.Spilled(in.getLong(), in.getInt(), in.getInt(), in.getLong());
          default -> throw new AssertionError("node of type " + type);
        };
    node.setHash(thirtyTwo(in), 0);
    return node;
  }

  private static ReplayNode.Clue clue(ByteBuffer in) {
    ReplayNode.Clue clue = new ReplayNode.Clue(thirtyTwo(in));
    clue.count = in.getLong();
    clue.deletedJsn = in.getLong();
    clue.subtrees = new byte[Long.bitCount(clue.count) * ReplayNode.HASH_BYTES];
    in.get(clue.subtrees);
    return clue;
  }

  private static ReplayNode.Branch branch(ByteBuffer in) {
    ReplayNode.Branch branch = new ReplayNode.Branch(thirtyTwo(in), in.get());
    branch.clues = in.getLong();
    int mask = in.getShort();
    for (int i = 0; i < ReplayNode.RADIX; i++) {
      if ((mask >>> i & 1) != 0) {
        branch.children[i] = read(in);
      }
    }
    return branch;
  }

  private static byte[] thirtyTwo(ByteBuffer in) {
    byte[] bytes = new byte[ReplayNode.HASH_BYTES];
    in.get(bytes);
    return bytes;
  }

  /// How long the spill file is; 0 if there is none.
  long spilledBytes() {
    return file == null ? 0 : file.bytes();
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
