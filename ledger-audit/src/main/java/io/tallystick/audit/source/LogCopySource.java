package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.durable.PlainFile;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A log saved in a file. Every length is bounded before it is believed, and a file that breaks off
/// or goes on after its end is refused.
public record LogCopySource(Path file) implements LogSource {

  @Override
  public LogReader open() throws IOException, LogFormatException {
    InputStream in = PlainFile.open(file);
    try {
      return open(in);
    } catch (IOException | LogFormatException e) {
      in.close();
      throw e;
    }
  }

  /// Steps to the place it is told, or over the entries before it, without copying them.
  @Override
  public LogReader open(long jsn, long source) throws IOException, LogFormatException {
    PlainFile.check(file);
    FileChannel channel = FileChannel.open(file);
    try {
      Reader reader = new Reader(new CopyInput(Channels.newInputStream(channel)));
      if (source > 0 && source < channel.size()) {
        channel.position(source);
        reader.startAt(jsn, source);
      } else {
        reader.skipTo(jsn);
      }
      return reader;
    } catch (IOException | LogFormatException e) {
      channel.close();
      throw e;
    }
  }

  /// Only a copy of a purged log has one.
  @Override
  public Optional<Bytes> keyChain() throws IOException, LogFormatException {
    return start().map(LogCopy.Start::keyChain).filter(chain -> !chain.isEmpty());
  }

  @Override
  public Optional<PurgedStart> purged() throws IOException, LogFormatException {
    return start().map(LogCopy.Start::purged);
  }

  /// Read into memory.
  @Override
  public Optional<InputStream> purgedClues() throws IOException, LogFormatException {
    try (CopyInput in = new CopyInput(PlainFile.open(file))) {
      return new Reader(in, false).start.isEmpty() ? Optional.empty() : pieces("clues", in);
    }
  }

  /// Read into memory.
  @Override
  public Optional<InputStream> purgedState() throws IOException, LogFormatException {
    try (CopyInput in = new CopyInput(PlainFile.open(file))) {
      Reader reader = new Reader(in, false);
      if (reader.version != LogCopy.VERSION_PURGED_WITH_OPS) {
        return Optional.empty();
      }
      while (!Reader.piece("clues", in).isEmpty()) {}
      return pieces("state", in);
    }
  }

  private static Optional<InputStream> pieces(String name, CopyInput in)
      throws IOException, LogFormatException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    for (Bytes piece = Reader.piece(name, in); !piece.isEmpty(); piece = Reader.piece(name, in)) {
      if (file.size() + piece.size() > LogCopy.BEFORE_BYTES_MAX) {
        throw LogFormatException.malformed(
            String.format(Locale.ROOT, "%s of more than %d bytes", name, LogCopy.BEFORE_BYTES_MAX));
      }
      file.writeBytes(piece.unsafeArray());
    }
    return file.size() == 0
        ? Optional.empty()
        : Optional.of(new ByteArrayInputStream(file.toByteArray()));
  }

  private Optional<LogCopy.Start> start() throws IOException, LogFormatException {
    try (Reader reader = new Reader(new CopyInput(PlainFile.open(file)), false)) {
      return reader.start;
    }
  }

  /// A copy has none.
  @Override
  public Optional<Bytes> cosigned() {
    return Optional.empty();
  }

  /// A copy has none: the auditor has the leaves of both sizes.
  @Override
  public Optional<ConsistencyProof> consistency(long from, long to) {
    return Optional.empty();
  }

  /// A copy has none apart from its leaves.
  @Override
  public Optional<Bytes> leafHashes(long index, int width) {
    return Optional.empty();
  }

  /// Reads a copy from a stream, which the reader closes.
  static LogReader open(InputStream in) throws IOException, LogFormatException {
    return new Reader(new CopyInput(in));
  }

  private static final class Reader implements LogReader {
    private final CopyInput in;
    private final StrandId strand;
    private final long version;
    private final long size;
    private long read;
    private Optional<LogCopy.Start> start = Optional.empty();

    Reader(CopyInput in) throws IOException, LogFormatException {
      this(in, true);
    }

    private static void checkMagic(CopyInput in) throws IOException {
      Bytes magic;
      try {
        magic = in.bytes("magic", LogCopy.MAGIC.size());
      } catch (LogFormatException e) {
        throw noCopy(String.valueOf(e.getMessage()));
      }
      if (!magic.equals(LogCopy.MAGIC)) {
        throw noCopy("it begins with " + magic + ", want " + LogCopy.MAGIC);
      }
    }

    private static NoLogException noCopy(String why) {
      return new NoLogException("the file is no copy of a log: " + why);
    }

    /// @param toEntries whether to pass over clues and state, which the entries follow
    Reader(CopyInput in, boolean toEntries) throws IOException, LogFormatException {
      this.in = in;
      checkMagic(in);
      version = in.u32("version");
      if (version > LogCopy.VERSION_PURGED_WITH_OPS) {
        throw new NoLogException(
            String.format(
                Locale.ROOT,
                "the copy has version %d, this auditor reads %d to %d: take a newer one",
                version,
                LogCopy.VERSION_WITHOUT_OPS,
                LogCopy.VERSION_PURGED_WITH_OPS));
      }
      if (version < LogCopy.VERSION_WITHOUT_OPS) {
        throw LogFormatException.malformed("version is " + version);
      }
      LedgerId ledger = new LedgerId(Digest.of(in.bytes("ledgerId", Digest.BYTES)));
      strand = new StrandId(ledger, number("strand", in.u32("strand")));
      size = in.u64("size");
      if (size < 0) {
        throw LogFormatException.malformed("size is above 2^63-1");
      }
      if (version >= LogCopy.VERSION_PURGED) {
        start = Optional.of(readStart());
        checkVersion(start.get().version());
        read = start.get().firstKept();
        while (toEntries && !piece("clues", in).isEmpty()) {}
        while (toEntries && hasOps() && !piece("state", in).isEmpty()) {}
      }
    }

    /// The next piece of the clues, or of the state; the last one is empty.
    static Bytes piece(String name, CopyInput in) throws IOException, LogFormatException {
      return in.string(name, LogCopy.PIECE_BYTES_MAX);
    }

    private LogCopy.Start readStart() throws IOException, LogFormatException {
      Bytes pseudoGenesis = in.string("pseudo-genesis", LogCopy.PSEUDO_GENESIS_BYTES_MAX);
      Bytes window = in.string("window", LogCopy.WINDOW_BYTES_MAX);
      return new LogCopy.Start(
          new PurgedStart(pseudoGenesis, window),
          in.string("key chain", LogCopy.KEY_CHAIN_BYTES_MAX));
    }

    private static int number(String name, long value) throws LogFormatException {
      if (value > Integer.MAX_VALUE) {
        throw LogFormatException.malformed(name + " is " + value);
      }
      return (int) value;
    }

    void startAt(long jsn, long source) {
      in.movedTo(source);
      read = jsn;
    }

    void skipTo(long jsn) throws IOException, LogFormatException {
      while (read < Math.min(jsn, size)) {
        in.skipString("leaf", LogCopy.LEAF_BYTES_MAX);
        in.skipString("attestation", LogCopy.ATTESTATION_BYTES_MAX);
        if (hasOps()) {
          in.skipString("operations", LogCopy.OPS_BYTES_MAX);
        }
        if (LogCopy.bodyState(in.u8("body state")) == BodyState.PRESENT) {
          in.skip("salt", LogCopy.SALT_BYTES);
          in.skipString("body", LogCopy.BODY_BYTES_MAX);
        }
        read++;
      }
    }

    private boolean hasOps() {
      return LogCopy.hasOps(version);
    }

    /// A copy has one form: its version follows from with what it begins.
    private void checkVersion(int want) throws LogFormatException {
      if (version != want) {
        throw LogFormatException.malformed(
            String.format(
                Locale.ROOT, "version is %d, that of this ledger's log is %d", version, want));
      }
    }

    @Override
    public StrandId strand() {
      return strand;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public @Nullable LogEntry next() throws IOException, LogFormatException {
      if (read >= size) {
        return null;
      }
      Bytes leaf = in.string("leaf", LogCopy.LEAF_BYTES_MAX);
      if (read == 0) {
        checkVersion(LogCopy.version(leaf));
      }
      Bytes attestation = in.string("attestation", LogCopy.ATTESTATION_BYTES_MAX);
      Bytes ops = hasOps() ? in.string("operations", LogCopy.OPS_BYTES_MAX) : Bytes.EMPTY;
      BodyState state = LogCopy.bodyState(in.u8("body state"));
      Bytes salt = Bytes.EMPTY;
      Bytes body = Bytes.EMPTY;
      if (state == BodyState.PRESENT) {
        salt = in.bytes("salt", LogCopy.SALT_BYTES);
        body = in.string("body", LogCopy.BODY_BYTES_MAX);
      }
      read++;
      return new LogEntry(leaf, attestation, ops, state, salt, body);
    }

    @Override
    public boolean next(EntryRun run) throws IOException, LogFormatException {
      if (read >= size) {
        return false;
      }
      run.begin(in.consumed());
      in.string("leaf", LogCopy.LEAF_BYTES_MAX, run);
      if (read == 0) {
        checkVersion(LogCopy.version(run.begunLeaf()));
      }
      in.string("attestation", LogCopy.ATTESTATION_BYTES_MAX, run);
      if (hasOps()) {
        in.string("operations", LogCopy.OPS_BYTES_MAX, run);
      } else {
        run.field(0);
      }
      BodyState state = LogCopy.bodyState(in.u8("body state"));
      if (state == BodyState.PRESENT) {
        in.bytes("salt", LogCopy.SALT_BYTES, run);
        in.string("body", LogCopy.BODY_BYTES_MAX, run);
      } else {
        run.field(0);
        run.field(0);
      }
      run.end(state);
      read++;
      return true;
    }

    @Override
    public LogEnd end() throws IOException, LogFormatException {
      Bytes checkpoint = in.string("checkpoint", LogCopy.HEAD_BYTES_MAX);
      Bytes receipt = in.string("head receipt", LogCopy.HEAD_BYTES_MAX);
      in.end();
      return new LogEnd(checkpoint, receipt);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
