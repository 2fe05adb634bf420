package io.tallystick.audit.statement;

import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.audit.source.SizedFile;
import io.tallystick.crypto.Sha256;
import io.tallystick.durable.PlainFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;

/// The file beside a statement that holds what removals can name, of the leaves up to where the
/// statement ends. The statement holds the hash of the file.
public final class RemovalFile {
  private static final Bytes MAGIC = Bytes.utf8("TALLYREM");
  private static final int VERSION = 2;
  private static final int BUFFER_BYTES = 1 << 16;

  private final SizedFile file;

  /// The content of the file behind its head.
  public interface Content {
    void writeTo(DataOutputStream out) throws IOException;

    /// @throws MalformedException if it cannot have been written so
    void readFrom(DataInputStream in) throws IOException, MalformedException;
  }

  /// @param prefix what the names of all files of this strand begin with
  public RemovalFile(Path directory, String prefix) {
    this.file = new SizedFile(directory, prefix, ".removals");
  }

  /// @return the hash of what was written
  public Digest write(long size, Content content) throws IOException {
    MessageDigest hasher = Sha256.newDigest();
    file.write(
        size,
        out -> {
          DataOutputStream data =
              new DataOutputStream(
                  new BufferedOutputStream(new DigestOutputStream(out, hasher), BUFFER_BYTES));
          data.write(MAGIC.unsafeArray());
          data.writeInt(VERSION);
          content.writeTo(data);
          data.flush();
        });
    return Digest.of(hasher.digest());
  }

  /// Deletes those of other sizes, and what was never finished.
  public void dropOthers(long size) throws IOException {
    file.dropOthers(size);
  }

  /// Believes nothing before the hash of the whole file has been compared.
  ///
  /// @param content empty; may hold a part if this fails
  /// @param hash that the statement has
  public void read(long size, Content content, Digest hash) throws IOException, StatementException {
    Path path = file.path(size);
    try {
      Digest found = CheckedStateFile.hash(path);
      if (!found.equals(hash)) {
        throw damaged(path, "its hash is " + found + ", the statement has " + hash);
      }
      read(path, content);
    } catch (NoSuchFileException e) {
      throw new StatementException(
          Reason.REMOVALS_MISSING,
          "what removals can name, up to size " + size + ", is not in " + path,
          e);
    } catch (MalformedException e) {
      throw damaged(path, String.valueOf(e.getMessage()));
    }
  }

  private static void read(Path path, Content content)
      throws IOException, MalformedException, StatementException {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(PlainFile.open(path), BUFFER_BYTES))) {
      Bytes magic = Bytes.wrap(in.readNBytes(MAGIC.size()));
      if (!magic.equals(MAGIC)) {
        throw new MalformedException("it is no file of removals");
      }
      int version = in.readInt();
      if (version > VERSION) {
        throw new StatementException(
            Reason.NEWER_VERSION,
            "removals of version " + version + ", this auditor reads " + VERSION);
      }
      if (version < VERSION) {
        throw new MalformedException("version " + version);
      }
      content.readFrom(in);
      if (in.read() >= 0) {
        throw new MalformedException("something stands behind its end");
      }
    }
  }

  private static StatementException damaged(Path path, String detail) {
    return new StatementException(Reason.REMOVALS_DAMAGED, path + ": " + detail);
  }
}
