package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Where the auditor has a log from: a service ({@link RemoteLogSource}), a saved copy ({@link
/// LogCopySource}), or anything else that can tell entries in their order. It need not be trusted.
public interface LogSource {
  /// Starts from the first leaf.
  ///
  /// @throws LogFormatException if what is there is not a log
  LogReader open() throws IOException, LogFormatException;

  /// Starts from a later leaf.
  ///
  /// @param jsn at most the log's size
  /// @param source where a reader of such a source had that entry ({@link EntryRun#begin}), 0 if
  ///   unknown. A hint: the caller checks that what it gets is what it wanted
  default LogReader open(long jsn, long source) throws IOException, LogFormatException {
    LogReader log = open();
    try {
      for (long i = 0; i < jsn && log.next() != null; i++) {}
      return log;
    } catch (IOException | LogFormatException e) {
      log.close();
      throw e;
    }
  }

  /// The key chain of the log's service, if the source has one. Not verified.
  Optional<Bytes> keyChain() throws IOException, LogFormatException;

  /// The newest checkpoint that witnesses cosigned, as far as the source has one; not verified.
  Optional<Bytes> cosigned() throws IOException, LogFormatException;

  /// With what the log begins if its beginning was purged; empty if the source has all of it. It is
  /// to be opened at the first leaf kept then. Not verified.
  Optional<PurgedStart> purged() throws IOException, LogFormatException;

  /// The clues up to where a purged log begins, a file as `docs/formats/audit-statement.md` has it;
  /// empty if the source has none. Not verified. The caller closes it.
  Optional<InputStream> purgedClues() throws IOException, LogFormatException;

  /// The state as of the seal that a purged log begins behind, a file as
  /// `docs/formats/audit-statement.md` has it, "State as of a purge"; empty if the source has none.
  /// Not verified. The caller closes it.
  Optional<InputStream> purgedState() throws IOException, LogFormatException;

  /// Shows that the tree of one size is the beginning of that of another; empty if the source
  /// cannot show it. Not verified.
  Optional<ConsistencyProof> consistency(long from, long to) throws IOException, LogFormatException;

  /// The hashes of the first leaves of a bundle, 32 bytes each: they stay when the leaves were
  /// purged. Empty if the source tells no hashes apart from leaves. Not verified.
  ///
  /// @param index of the bundle
  /// @param width 1 to 256, of leaves that there are
  Optional<Bytes> leafHashes(long index, int width) throws IOException, LogFormatException;

  /// One pass over a log. Not thread-safe; may be closed from another thread.
  interface LogReader extends AutoCloseable {
    /// Which log the source says this is.
    StrandId strand();

    /// The number of entries the source promises.
    long size();

    /// The next entry, null after the last.
    ///
    /// @throws LogFormatException if the log breaks off or cannot be an entry
    /// @throws IOException if the source cannot be reached any more
    @Nullable LogEntry next() throws IOException, LogFormatException;

    /// Adds the next entry to `run`, without objects where the source can. If it throws, the run
    /// may hold a part of the entry, to be cancelled.
    ///
    /// @return false after the last
    default boolean next(EntryRun run) throws IOException, LogFormatException {
      LogEntry entry = next();
      if (entry == null) {
        return false;
      }
      run.add(entry);
      return true;
    }

    /// The signed heads; to be asked once, after {@link #next} has answered null.
    LogEnd end() throws IOException, LogFormatException;

    @Override
    void close() throws IOException;
  }
}
