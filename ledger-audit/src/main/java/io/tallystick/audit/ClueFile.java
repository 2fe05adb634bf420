package io.tallystick.audit;

import io.tallystick.audit.StatementException.Reason;
import io.tallystick.audit.replay.ClueReplay;
import io.tallystick.durable.FileSteps;
import io.tallystick.durable.LocalFileSteps;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// The clues of a log up to where a statement ends, in a file of its own beside it. It needs no
/// signature: its clues must give the clue root of the seal the statement names. Its name has the
/// size of the log, so the file of the statement before stays until the new statement is there.
final class ClueFile {
  private static final Bytes MAGIC = Bytes.utf8("TALLYCLU");
  private static final int VERSION = 1;
  private static final String SUFFIX = ".clues";
  private static final String TEMPORARY = ".tmp";
  private static final int BUFFER_BYTES = 1 << 16;

  private final FileSteps steps = new LocalFileSteps();
  private final Path directory;
  private final String prefix;

  /// @param prefix what the names of all files of this strand begin with
  ClueFile(Path directory, String prefix) {
    this.directory = directory;
    this.prefix = prefix;
  }

  Path path(long size) {
    return directory.resolve(prefix + size + SUFFIX);
  }

  /// Writes a file beside it, forces that, renames it, forces the directory.
  void write(long size, ClueReplay clues) throws IOException {
    Path file = path(size);
    Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY);
    try (DataOutputStream out =
        new DataOutputStream(
            new BufferedOutputStream(new FileOutputStream(temporary.toFile()), BUFFER_BYTES))) {
      out.write(MAGIC.unsafeArray());
      out.writeInt(VERSION);
      clues.writeTo(out);
    }
    steps.force(temporary);
    steps.rename(temporary, file);
    steps.forceDirectory(directory);
  }

  /// Deletes those of other sizes, and what was never finished.
  void dropOthers(long size) throws IOException {
    Path kept = path(size);
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(directory, prefix + "*" + SUFFIX + "{," + TEMPORARY + "}")) {
      for (Path file : files) {
        if (!file.equals(kept)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /// @param clues empty; may hold a part if this fails
  /// @param root that they must give
  void read(long size, ClueReplay clues, Digest root) throws IOException, StatementException {
    Path file = path(size);
    try (DataInputStream in =
        new DataInputStream(
            new BufferedInputStream(new FileInputStream(file.toFile()), BUFFER_BYTES))) {
      checkHead(in.readNBytes(MAGIC.size() + Integer.BYTES));
      clues.readFrom(in);
    } catch (FileNotFoundException e) {
      throw new StatementException(
          Reason.CLUES_MISSING, "the clues up to size " + size + " are not in " + file, e);
    } catch (MalformedException e) {
      throw damaged(file, String.valueOf(e.getMessage()));
    }
    Digest found = clues.root();
    if (!found.equals(root)) {
      throw damaged(file, "its clues give root " + found + ", the seal has " + root);
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
