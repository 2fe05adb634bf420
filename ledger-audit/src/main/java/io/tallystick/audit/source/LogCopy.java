package io.tallystick.audit.source;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.Snapshot;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The file a log is saved in, to be audited without the service: `docs/formats/log-copy.md`. It
/// has no checksum of its own, because every byte of it is checked by the audit.
public final class LogCopy {
  static final Bytes MAGIC = Bytes.utf8("TALLYLOG");

  /// The version for a whole log of a ledger with a state: entries have operations.
  static final int VERSION_WITH_OPS = 2;

  /// The version for a whole log of a ledger without a state.
  static final int VERSION_WITHOUT_OPS = 1;

  /// The version for a log whose beginning was purged, of a ledger without a state.
  static final int VERSION_PURGED = 3;

  /// The version for a log whose beginning was purged, of a ledger with a state.
  static final int VERSION_PURGED_WITH_OPS = 4;

  static final int PSEUDO_GENESIS_BYTES_MAX = 65 << 20;
  static final int WINDOW_BYTES_MAX = Limits.OPEN_SIGNATURES_MAX * Snapshot.WINDOW_ENTRY_BYTES;
  static final int KEY_CHAIN_BYTES_MAX = 16 << 20;

  /// The most bytes of the clues, and of the state, up to where a purged log begins.
  public static final int BEFORE_BYTES_MAX = 1 << 30;

  static final int PIECE_BYTES_MAX = 1 << 20;
  static final int LEAF_BYTES_MAX = Limits.LEAF_BYTES_MAX;
  static final int ATTESTATION_BYTES_MAX = Limits.ATTESTATION_BYTES_MAX;
  static final int OPS_BYTES_MAX = Limits.REQUEST_BYTES_MAX;
  static final int SALT_BYTES = Limits.SALT_BYTES;
  static final int BODY_BYTES_MAX = Limits.REQUEST_BYTES_MAX;
  static final int HEAD_BYTES_MAX = 16 << 10;

  private static final int BUFFER_BYTES = 1 << 20;

  private LogCopy() {}

  /// The beginning of a copy of a purged log.
  ///
  /// @param keyChain empty if the source has none
  record Start(PurgedStart purged, Bytes keyChain) {
    /// The beginning that a source shows; empty if it has the whole log.
    static Optional<Start> of(LogSource source) throws IOException, LogFormatException {
      Optional<PurgedStart> purged = source.purged();
      return purged.isEmpty()
          ? Optional.empty()
          : Optional.of(new Start(purged.get(), source.keyChain().orElse(Bytes.EMPTY)));
    }

    /// The lowest leaf that the log has, as it says.
    long firstKept() throws LogFormatException {
      return snapshot().firstKept().value();
    }

    private Snapshot snapshot() throws LogFormatException {
      try {
        return Snapshot.decode(PseudoGenesis.decode(purged.pseudoGenesis()).snapshot());
      } catch (MalformedException e) {
        throw LogFormatException.malformed(e);
      }
    }

    /// In which version the log is saved.
    int version() throws LogFormatException {
      try {
        return GenesisParams.decode(snapshot().genesisParams()).stateParams() == null
            ? VERSION_PURGED
            : VERSION_PURGED_WITH_OPS;
      } catch (MalformedException e) {
        throw LogFormatException.malformed(e);
      }
    }
  }

  /// Saves a log from its first leaf to its end, and forces it to the disk. `file` appears only
  /// once it is whole.
  ///
  /// @return the number of entries
  /// @throws AuditLimitException if the clues or the state of what was purged have more than 1 GiB
  public static long save(LogSource source, Path file)
      throws IOException, LogFormatException, AuditLimitException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    StartWatch watch = StartWatch.begin(source);
    long entries;
    try {
      entries = write(source, part);
    } catch (LogFormatException e) {
      watch.check();
      throw e;
    }
    watch.check();
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return entries;
  }

  private static long write(LogSource source, Path part)
      throws IOException, LogFormatException, AuditLimitException {
    Optional<Start> start = Start.of(source);
    try (LogReader log =
            start.isPresent() ? source.open(start.get().firstKept(), 0) : source.open();
        FileChannel channel =
            FileChannel.open(
                part,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
      long entries = write(start, source, log, out);
      out.flush();
      channel.force(true);
      return entries;
    }
  }

  /// Writes a log to a stream that stays open.
  static long write(LogReader log, OutputStream stream) throws IOException, LogFormatException {
    DataOutputStream out = new DataOutputStream(stream);
    LogEntry entry = log.next();
    int version = version(entry == null ? Bytes.EMPTY : entry.leaf());
    writeHead(log, version, out);
    return writeEntries(log, entry, 0, version, out);
  }

  /// @param start if the log's beginning was purged; `log` is opened behind it then
  private static long write(
      Optional<Start> start, LogSource source, LogReader log, OutputStream stream)
      throws IOException, LogFormatException, AuditLimitException {
    if (start.isEmpty()) {
      return write(log, stream);
    }
    DataOutputStream out = new DataOutputStream(stream);
    int version = start.get().version();
    writeHead(log, version, out);
    writeString(start.get().purged().pseudoGenesis(), out);
    writeString(start.get().purged().window(), out);
    writeString(start.get().keyChain(), out);
    writePieces("clues", source.purgedClues(), BEFORE_BYTES_MAX, out);
    if (hasOps(version)) {
      writePieces("state", source.purgedState(), BEFORE_BYTES_MAX, out);
    }
    return writeEntries(log, log.next(), start.get().firstKept(), version, out);
  }

  private static void writeHead(LogReader log, int version, DataOutputStream out)
      throws IOException {
    out.write(MAGIC.unsafeArray());
    out.writeInt(version);
    out.write(log.strand().ledger().digest().toArray());
    out.writeInt(log.strand().strand());
    out.writeLong(log.size());
  }

  /// Whether entries have operations.
  static boolean hasOps(long version) {
    return version == VERSION_WITH_OPS || version == VERSION_PURGED_WITH_OPS;
  }

  /// A file piece by piece; the last is empty.
  ///
  /// @param name in words
  /// @param bytesMax that a copy holds of it
  static void writePieces(
      String name, Optional<InputStream> file, long bytesMax, DataOutputStream out)
      throws IOException, AuditLimitException {
    long bytes = 0;
    try (InputStream in = file.orElse(InputStream.nullInputStream())) {
      byte[] piece = in.readNBytes(PIECE_BYTES_MAX);
      for (; piece.length > 0; piece = in.readNBytes(PIECE_BYTES_MAX)) {
        bytes += piece.length;
        if (bytes > bytesMax) {
          throw tooLarge(name, bytesMax);
        }
        writeString(Bytes.wrap(piece), out);
      }
    }
    out.writeInt(0);
  }

  /// @param name in words
  public static AuditLimitException tooLarge(String name, long bytesMax) {
    return new AuditLimitException(
        String.format(
            Locale.ROOT, "the %s of what was purged: more than %d bytes", name, bytesMax));
  }

  private static long writeEntries(
      LogReader log, @Nullable LogEntry next, long first, int version, DataOutputStream out)
      throws IOException, LogFormatException {
    LogEntry entry = next;
    long entries = first;
    for (; entry != null; entry = log.next()) {
      write(entry, entries, version, out);
      entries++;
    }
    if (entries != log.size()) {
      throw LogFormatException.truncated(entries + " entries, want " + log.size());
    }
    LogEnd end = log.end();
    writeString(end.checkpoint(), out);
    writeString(end.headReceipt(), out);
    out.flush();
    return entries - first;
  }

  /// In which version a log is saved that begins with this leaf.
  static int version(Bytes firstLeaf) {
    return StateFeature.isOn(firstLeaf) ? VERSION_WITH_OPS : VERSION_WITHOUT_OPS;
  }

  private static void write(LogEntry entry, long jsn, int version, DataOutputStream out)
      throws IOException, LogFormatException {
    writeString(entry.leaf(), out);
    writeString(entry.attestation(), out);
    if (hasOps(version)) {
      writeString(entry.ops(), out);
    } else {
      entry.checkNoOps(jsn);
    }
    out.writeByte(code(entry.bodyState()));
    if (entry.bodyState() == BodyState.PRESENT) {
      if (entry.salt().size() != SALT_BYTES) {
        throw LogFormatException.malformed("salt of " + entry.salt().size() + " bytes, want 32");
      }
      out.write(entry.salt().unsafeArray());
      writeString(entry.body(), out);
    }
  }

  private static int code(BodyState state) {
    return switch (state) {
      case NONE -> 1;
      case PRESENT -> 2;
      case ERASED -> 3;
      case DAMAGED -> 4;
    };
  }

  static BodyState bodyState(int code) throws LogFormatException {
    return switch (code) {
      case 1 -> BodyState.NONE;
      case 2 -> BodyState.PRESENT;
      case 3 -> BodyState.ERASED;
      case 4 -> BodyState.DAMAGED;
      default -> throw LogFormatException.malformed("body state " + code + ", want 1 to 4");
    };
  }

  private static void writeString(Bytes value, DataOutputStream out) throws IOException {
    out.writeInt(value.size());
    out.write(value.unsafeArray());
  }
}
