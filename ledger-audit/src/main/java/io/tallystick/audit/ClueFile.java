package io.tallystick.audit;

import io.tallystick.audit.StatementException.Reason;
import io.tallystick.audit.replay.ClueReplay;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/// The clues of a log up to where a statement ends, in a file of its own beside it. It needs no
/// signature: its clues must give the clue root of the seal the statement names.
final class ClueFile {
  private static final Bytes MAGIC = Bytes.utf8("TALLYCLU");
  private static final int VERSION = 1;
  private static final int BUFFER_BYTES = 1 << 16;

  private final SizedFile file;

  /// @param prefix what the names of all files of this strand begin with
  ClueFile(Path directory, String prefix) {
    this.file = new SizedFile(directory, prefix, ".clues");
  }

  void write(long size, ClueReplay clues) throws IOException {
    file.write(
        size,
        out -> {
          DataOutputStream data = new DataOutputStream(out);
          data.write(MAGIC.unsafeArray());
          data.writeInt(VERSION);
          clues.writeTo(data);
        });
  }

  /// Deletes those of other sizes, and what was never finished.
  void dropOthers(long size) throws IOException {
    file.dropOthers(size);
  }

  /// @param clues empty; may hold a part if this fails
  /// @param root that they must give
  void read(long size, ClueReplay clues, Digest root) throws IOException, StatementException {
    Path path = file.path(size);
    try (DataInputStream in =
        new DataInputStream(
            new BufferedInputStream(new FileInputStream(path.toFile()), BUFFER_BYTES))) {
      checkHead(in.readNBytes(MAGIC.size() + Integer.BYTES));
      clues.readFrom(in);
    } catch (FileNotFoundException e) {
      throw new StatementException(
          Reason.CLUES_MISSING, "the clues up to size " + size + " are not in " + path, e);
    } catch (MalformedException e) {
      throw damaged(path, String.valueOf(e.getMessage()));
    }
    Digest found = clues.root();
    if (!found.equals(root)) {
      throw damaged(path, "its clues give root " + found + ", the seal has " + root);
    }
  }

  private static void checkHead(byte[] head) throws MalformedException, StatementException {
    byte[] magic = MAGIC.unsafeArray();
    if (head.length != magic.length + Integer.BYTES
        || !Bytes.copyOf(head, 0, magic.length).equals(MAGIC)) {
      throw new MalformedException("it is no file of clues");
    }
    int version = ByteBuffer.wrap(head).getInt(magic.length);
    if (version > VERSION) {
      throw new StatementException(
          Reason.NEWER_VERSION, "clues of version " + version + ", this auditor reads " + VERSION);
    }
    if (version < VERSION) {
      throw new MalformedException("version " + version);
    }
  }

  private static StatementException damaged(Path file, String detail) {
    return new StatementException(Reason.CLUES_DAMAGED, file + ": " + detail);
  }
}
