package io.tallystick.server.ship;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.server.ship.SavepointRefusedException.Reason;
import io.tallystick.storage.replicated.EntryReader;
import io.tallystick.storage.replicated.EntryReader.LogEntry;
import io.tallystick.storage.replicated.LogWriter;
import io.tallystick.storage.replicated.NoSuchLogException;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.storage.replicated.QuorumUnavailableException;
import io.tallystick.storage.replicated.ReplicatedLogs;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Savepoints in replicated logs: a part is a log, and a piece some entries of it. Source:
/// docs/formats/shipped-savepoint.md.
public final class LogSavepoints implements SavepointStore {
  private static final String SAVEPOINT = "savepoint";
  private static final String OBJECT = "object";
  private static final int FORMAT = 1;
  private static final int LABEL_FIELDS = 5;

  private final String kind;
  private final ReplicatedLogs logs;
  private final String cluster;
  private final StreamId shard;
  private final int entryBytes;

  /// @param entryBytes of each entry of a piece but its last
  public LogSavepoints(ReplicatedLogs logs, String cluster, StreamId shard, int entryBytes) {
    this(SAVEPOINT, logs, cluster, shard, entryBytes);
  }

  /// The same for {@link SharedObjects}: neither store sees the other's parts.
  public static LogSavepoints ofObjects(
      ReplicatedLogs logs, String cluster, StreamId shard, int entryBytes) {
    return new LogSavepoints(OBJECT, logs, cluster, shard, entryBytes);
  }

  private LogSavepoints(
      String kind, ReplicatedLogs logs, String cluster, StreamId shard, int entryBytes) {
    this.kind = kind;
    this.logs = logs;
    this.cluster = cluster;
    this.shard = shard;
    this.entryBytes = entryBytes;
  }

  private Bytes label(long epoch) {
    CborWriter label = new CborWriter().array(LABEL_FIELDS).text(kind).uint(FORMAT);
    return label.text(cluster).uint(shard.shard()).uint(epoch).toBytes();
  }

  /// Empty for what is no part of the shard's savepoints.
  private Optional<Long> epochOf(Bytes label) {
    try {
      CborReader reader = new CborReader(label);
      reader.array("label", LABEL_FIELDS);
      boolean ours =
          reader.text().equals(kind)
              && reader.uint() == FORMAT
              && reader.text().equals(cluster)
              && reader.uint() == shard.shard();
      return ours ? Optional.of(reader.uint()) : Optional.empty();
    } catch (MalformedException _) {
      return Optional.empty();
    }
  }

  private static Bytes id(long log) {
    return Bytes.wrap(ByteBuffer.allocate(Long.BYTES).putLong(0, log).array());
  }

  private static long log(Bytes part) {
    return ByteBuffer.wrap(part.toArray()).getLong();
  }

  /// With fewer machines while one is missing.
  @Override
  public Upload begin(long epoch) throws IOException {
    try {
      return new LogUpload(logs.create(Quorum.FULL, label(epoch)));
    } catch (QuorumUnavailableException _) {
      return new LogUpload(logs.create(Quorum.THIN, label(epoch)));
    }
  }

  @Override
  public ByteBuffer get(ShippedPiece piece) throws IOException, SavepointRefusedException {
    if (piece.part().size() != Long.BYTES) {
      throw refused(Reason.DAMAGED, piece, "names no log", null);
    }
    long entries = Math.ceilDiv(piece.bytes(), entryBytes);
    try (EntryReader log = logs.open(log(piece.part()))) {
      if (piece.at() + entries - 1 > log.lastConfirmed()) {
        throw refused(Reason.MISSING, piece, "would be behind its end", null);
      }
      ByteBuffer bytes = ByteBuffer.allocate(piece.bytes());
      for (long at = piece.at(); at < piece.at() + entries; at++) {
        LogEntry entry = log.read(at, at).getFirst();
        if (entry.bytes().remaining() > bytes.remaining()) {
          throw refused(Reason.DAMAGED, piece, "is longer than it should be", null);
        }
        bytes.put(entry.bytes());
      }
      return DirectorySavepoints.checked(piece, bytes.flip(), "log " + log.log());
    } catch (NoSuchLogException e) {
      throw refused(Reason.MISSING, piece, "is missing", e);
    }
  }

  private static SavepointRefusedException refused(
      Reason reason, ShippedPiece piece, String what, @Nullable Throwable cause) {
    SavepointRefusedException refused =
        new SavepointRefusedException(
            reason,
            String.format(
                Locale.ROOT, "piece %s %s: log %s", piece.name(), what, piece.part().hex()));
    if (cause != null) {
      refused.initCause(cause);
    }
    return refused;
  }

  @Override
  public List<Part> list() throws IOException {
    List<Part> parts = new ArrayList<>();
    for (ReplicatedLogs.Labelled log : logs.list()) {
      epochOf(log.label()).ifPresent(epoch -> parts.add(new Part(id(log.log()), epoch)));
    }
    return parts;
  }

  @Override
  public void delete(Bytes part) throws IOException {
    logs.delete(log(part));
  }

  private final class LogUpload implements Upload {
    private final LogWriter log;
    private long next;

    LogUpload(LogWriter log) {
      this.log = log;
    }

    @Override
    public Bytes part() {
      return id(log.log());
    }

    @Override
    public ShippedPiece put(Digest name, ByteBuffer bytes) throws IOException {
      ShippedPiece piece = new ShippedPiece(name, bytes.remaining(), part(), next);
      while (bytes.hasRemaining()) {
        int count = Math.min(entryBytes, bytes.remaining());
        next = log.add(bytes.slice(bytes.position(), count)).await() + 1;
        bytes.position(bytes.position() + count);
      }
      return piece;
    }

    @Override
    public void finish() throws IOException {
      log.close();
    }

    /// A log that is not finished is recovered, or deleted, by others.
    @Override
    public void close() {}
  }
}
