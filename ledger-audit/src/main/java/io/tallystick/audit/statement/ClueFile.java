package io.tallystick.audit.statement;

import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.audit.replay.ClueReplay;
import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.SizedFile;
import io.tallystick.durable.PlainFile;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/// The clues of a log up to where a statement ends, in a file of its own beside it, or up to where
/// a purged log begins. It needs no signature: its clues must give the clue root of the seal there.
public final class ClueFile {
  private static final Bytes MAGIC = Bytes.utf8("TALLYCLU");
  private static final int VERSION = 1;
  private static final int BUFFER_BYTES = 1 << 16;

  private final SizedFile file;

  /// @param prefix what the names of all files of this strand begin with
  public ClueFile(Path directory, String prefix) {
    this.file = new SizedFile(directory, prefix, ".clues");
  }

  public void write(long size, ClueReplay clues) throws IOException {
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
  public void dropOthers(long size) throws IOException {
    file.dropOthers(size);
  }

  /// @param clues empty; may hold a part if this fails
  /// @param root that they must give
  public void read(long size, ClueReplay clues, Digest root)
      throws IOException, StatementException {
    Path path = file.path(size);
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(PlainFile.open(path), BUFFER_BYTES))) {
      read(in, clues, root);
    } catch (NoSuchFileException e) {
      throw new StatementException(
          Reason.CLUES_MISSING, "the clues up to size " + size + " are not in " + path, e);
    } catch (MalformedException e) {
      throw damaged(path, String.valueOf(e.getMessage()));
    }
  }

  /// Takes over the clues of what was purged.
  ///
  /// @param clues empty
  /// @throws FaultException unless the source has them and they give the clue root of the seal that
  ///   the log begins behind
  public static void begin(LogSource source, Beginning beginning, ClueReplay clues)
      throws FaultException, IOException, LogFormatException {
    Digest root = beginning.seal().clueRoot();
    if (root.equals(SealLeaf.EMPTY_CLUE_ROOT)) {
      return;
    }
    Optional<InputStream> file = source.purgedClues();
    if (file.isEmpty()) {
      throw invalid("the source does not have them");
    }
    try (InputStream in = new BufferedInputStream(file.get(), BUFFER_BYTES)) {
      read(in, clues, root);
    } catch (MalformedException | StatementException e) {
      throw invalid(String.valueOf(e.getMessage()));
    }
  }

  /// The clues of what was purged, to be kept beside the log.
  ///
  /// @param bytesMax that they may have
  /// @return empty if nothing that was purged named a clue
  /// @throws LogFormatException unless the source has them and they give the clue root of the seal
  ///   that the log begins behind
  /// @throws AuditLimitException if they have more bytes
  public static Optional<Bytes> of(LogSource source, Beginning beginning, int bytesMax)
      throws IOException, LogFormatException, AuditLimitException {
    Digest root = beginning.seal().clueRoot();
    if (root.equals(SealLeaf.EMPTY_CLUE_ROOT)) {
      return Optional.empty();
    }
    Optional<InputStream> file = source.purgedClues();
    if (file.isEmpty()) {
      throw LogFormatException.truncated("the source has no clues of what was purged");
    }
    byte[] bytes;
    try (InputStream in = file.get()) {
      bytes = in.readNBytes(bytesMax);
      if (in.read() >= 0) {
        throw LogCopy.tooLarge("clues", bytesMax);
      }
    }
    try (ClueReplay clues = new ClueReplay(ReplayMemory.defaults())) {
      read(new ByteArrayInputStream(bytes), clues, root);
    } catch (MalformedException | StatementException e) {
      throw LogFormatException.malformed("clues of what was purged: " + e.getMessage());
    }
    return Optional.of(Bytes.wrap(bytes));
  }

  private static FaultException invalid(String detail) {
    return new FaultException(
        0, FaultKind.PSEUDO_GENESIS_INVALID, "clues of what was purged: " + detail);
  }

  /// @throws MalformedException if this cannot have been written so, or gives another root
  private static void read(InputStream in, ClueReplay clues, Digest root)
      throws IOException, MalformedException, StatementException {
    checkHead(in.readNBytes(MAGIC.size() + Integer.BYTES));
    clues.readFrom(in);
    Digest found = clues.root();
    if (!found.equals(root)) {
      throw new MalformedException("its clues give root " + found + ", the seal has " + root);
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
