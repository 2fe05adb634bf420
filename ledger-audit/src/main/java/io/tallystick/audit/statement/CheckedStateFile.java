package io.tallystick.audit.statement;

import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.audit.replay.StateReplay;
import io.tallystick.audit.source.SizedFile;
import io.tallystick.crypto.Sha256;
import io.tallystick.durable.PlainFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.BufferedInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;

/// The state of a ledger up to where a statement ends, in a file of its own beside it. The seal's
/// root does not say how far the fold has come, so the statement holds the hash of the file.
public final class CheckedStateFile {
  private static final Bytes MAGIC = Bytes.utf8("TALLYSTA");
  private static final int VERSION = 1;
  private static final int BUFFER_BYTES = 1 << 16;

  private final SizedFile file;

  /// @param prefix what the names of all files of this strand begin with
  public CheckedStateFile(Path directory, String prefix) {
    this.file = new SizedFile(directory, prefix, ".state");
  }

  /// @return the hash of what was written
  public Digest write(long size, StateReplay state) throws IOException {
    MessageDigest hasher = Sha256.newDigest();
    file.write(
        size,
        out -> {
          DataOutputStream data = new DataOutputStream(new DigestOutputStream(out, hasher));
          data.write(MAGIC.unsafeArray());
          data.writeInt(VERSION);
          state.writeTo(data);
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
  /// @param state empty; may hold a part if this fails
  /// @param hash that the statement has
  /// @param root that the state must give
  public void read(long size, StateReplay state, Optional<Digest> hash, Digest root)
      throws IOException, StatementException {
    Path path = file.path(size);
    if (hash.isEmpty()) {
      throw new StatementException(
          Reason.STATE_MISSING, "the statement up to size " + size + " names no file of the state");
    }
    try {
      Digest found = hash(path);
      if (!found.equals(hash.get())) {
        throw damaged(path, "its hash is " + found + ", the statement has " + hash.get());
      }
      Digest given = read(path, state);
      if (!given.equals(root)) {
        throw damaged(path, "its state gives root " + given + ", the seal has " + root);
      }
    } catch (NoSuchFileException e) {
      throw new StatementException(
          Reason.STATE_MISSING, "the state up to size " + size + " is not in " + path, e);
    } catch (MalformedException e) {
      throw damaged(path, String.valueOf(e.getMessage()));
    }
  }

  public static Digest hash(Path path) throws IOException {
    MessageDigest hasher = Sha256.newDigest();
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = PlainFile.open(path)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        hasher.update(buffer, 0, read);
      }
    }
    return Digest.of(hasher.digest());
  }

  private static Digest read(Path path, StateReplay state)
      throws IOException, MalformedException, StatementException {
    try (InputStream in = new BufferedInputStream(PlainFile.open(path), BUFFER_BYTES)) {
      checkHead(in.readNBytes(MAGIC.size() + Integer.BYTES));
      return state.readFrom(in);
    }
  }

  private static void checkHead(byte[] head) throws MalformedException, StatementException {
    int magic = MAGIC.size();
    if (head.length != magic + Integer.BYTES
        || !Arrays.equals(head, 0, magic, MAGIC.unsafeArray(), 0, magic)) {
      throw new MalformedException("it is no file of a state");
    }
    int version = ByteBuffer.wrap(head).getInt(magic);
    if (version > VERSION) {
      throw new StatementException(
          Reason.NEWER_VERSION, "state of version " + version + ", this auditor reads " + VERSION);
    }
    if (version < VERSION) {
      throw new MalformedException("version " + version);
    }
  }

  private static StatementException damaged(Path path, String detail) {
    return new StatementException(Reason.STATE_DAMAGED, path + ": " + detail);
  }
}
