package io.tallystick.audit;

import io.tallystick.audit.LogSource.LogReader;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// The file a log is saved in, to be audited without the service: `docs/formats/log-copy.md`. It
/// has no checksum of its own, because every byte of it is checked by the audit.
public final class LogCopy {
  static final Bytes MAGIC = Bytes.utf8("TALLYLOG");

  /// Of a ledger that has a state: entries have operations.
  static final int VERSION_WITH_OPS = 2;

  /// Of any other.
  static final int VERSION_WITHOUT_OPS = 1;

  static final int LEAF_BYTES_MAX = Limits.LEAF_BYTES_MAX;
  static final int ATTESTATION_BYTES_MAX = Limits.ATTESTATION_BYTES_MAX;
  static final int OPS_BYTES_MAX = Limits.REQUEST_BYTES_MAX;
  static final int SALT_BYTES = Limits.SALT_BYTES;
  static final int BODY_BYTES_MAX = Limits.REQUEST_BYTES_MAX;
  static final int HEAD_BYTES_MAX = 16 << 10;

  private static final int BUFFER_BYTES = 1 << 20;

  private LogCopy() {}

  /// Saves a log from its first leaf to its end, and forces it to the disk. `file` appears only
  /// once it is whole.
  ///
  /// @return the number of entries
  public static long save(LogSource source, Path file) throws IOException, LogFormatException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    long entries;
    try (LogReader log = source.open();
        FileChannel channel =
            FileChannel.open(
                part,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
      entries = write(log, out);
      out.flush();
      channel.force(true);
    }
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return entries;
  }

  /// Writes a log to a stream that stays open.
  static long write(LogReader log, OutputStream stream) throws IOException, LogFormatException {
    DataOutputStream out = new DataOutputStream(stream);
    LogEntry entry = log.next();
    int version = version(entry == null ? Bytes.EMPTY : entry.leaf());
    out.write(MAGIC.unsafeArray());
    out.writeInt(version);
    out.write(log.strand().ledger().digest().toArray());
    out.writeInt(log.strand().strand());
    out.writeLong(log.size());
    long entries = 0;
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
    return entries;
  }

  /// In which version a log is saved that begins with this leaf.
  static int version(Bytes firstLeaf) {
    return StateFeature.isOn(firstLeaf) ? VERSION_WITH_OPS : VERSION_WITHOUT_OPS;
  }

  private static void write(LogEntry entry, long jsn, int version, DataOutputStream out)
      throws IOException, LogFormatException {
    writeString(entry.leaf(), out);
    writeString(entry.attestation(), out);
    if (version == VERSION_WITH_OPS) {
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
