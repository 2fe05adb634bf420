package io.tallystick.audit;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.AuditedGenesis;
import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.chunk.Chunk;
import io.tallystick.audit.chunk.ChunkReader;
import io.tallystick.audit.chunk.Event;
import io.tallystick.audit.chunk.KeyDirectory;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.history.Replay;
import io.tallystick.audit.options.Submitters;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.audit.source.PrefixReader;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.audit.statement.ClueFile;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// A log opened where a run begins, and the replay that stands there.
///
/// @param first what `chunks` told first
/// @param firstKept the lowest leaf that the log has, as far as the run looked
record OpenLog(
    LogReader log,
    ChunkReader chunks,
    Chunk first,
    AuditContext context,
    Replay replay,
    long firstKept)
    implements AutoCloseable {
  /// Opens a log where it begins.
  ///
  /// @param upTo the size up to which it is read again, without signatures and without a head;
  ///   empty if the whole log is audited
  /// @throws FaultException unless genesis, or what a purge left of the beginning, holds
  static OpenLog first(AuditSession session, LogSource source, OptionalLong upTo)
      throws FaultException, IOException, AuditLimitException {
    try {
      Optional<PurgedStart> purged = source.purged();
      return purged.isPresent()
          ? behind(session, source, purged.get(), upTo)
          : atGenesis(session, source, upTo);
    } catch (LogFormatException e) {
      throw new FaultException(0, e.kind(), String.valueOf(e.getMessage()));
    }
  }

  private static OpenLog atGenesis(AuditSession session, LogSource source, OptionalLong upTo)
      throws FaultException, IOException, LogFormatException {
    LogReader log = part(source.open(), 0, upTo);
    boolean right = false;
    try {
      ChunkReader chunks = new ChunkReader(log);
      Chunk first = chunks.next();
      AuditContext context = vouched(session, genesis(session, log, first), upTo);
      LogEntry genesis = first.entries().entry(0);
      Replay replay = session.begin(context);
      replay.removalReplay().founded(new Event.Shown(genesis.leaf(), genesis.attestation()));
      right = true;
      return new OpenLog(log, chunks, first, context, replay, 0);
    } finally {
      if (!right) {
        log.close();
      }
    }
  }

  /// Where a purge ended.
  private static OpenLog behind(
      AuditSession session, LogSource source, PurgedStart purged, OptionalLong upTo)
      throws FaultException, IOException, AuditLimitException, LogFormatException {
    Beginning beginning =
        Beginning.verify(purged, session.strand(), source.keyChain(), session.signatures());
    long firstKept = beginning.firstKept();
    LogReader log = part(source.open(firstKept, 0), firstKept, upTo);
    boolean right = false;
    try {
      checkStrand(session, log);
      if (upTo.isEmpty() && log.size() <= firstKept) {
        throw new FaultException(
            firstKept - 1, FaultKind.LOG_TRUNCATED, "the log ends where a purge ended");
      }
      AuditContext context = vouched(session, context(session, beginning), upTo);
      Replay replay = session.begin(context);
      replay.begin(beginning, source);
      ClueFile.begin(source, beginning, replay.clues());
      ChunkReader chunks = new ChunkReader(log, firstKept, beginning.snapshot().seal());
      Chunk first = chunks.next();
      right = true;
      return new OpenLog(log, chunks, first, context, replay, firstKept);
    } finally {
      if (!right) {
        log.close();
      }
    }
  }

  private static LogReader part(LogReader log, long first, OptionalLong upTo) {
    return upTo.isPresent() ? new PrefixReader(log, first, upTo.getAsLong()) : log;
  }

  private static AuditContext vouched(AuditSession session, AuditContext context, OptionalLong upTo)
      throws FaultException {
    return upTo.isPresent() ? context.vouchedBelow(upTo.getAsLong()) : session.vouched(context);
  }

  private static AuditContext context(AuditSession session, Beginning beginning) {
    GenesisParams genesis = beginning.start().genesis();
    KeyDirectory keys = new KeyDirectory();
    genesis.owners().forEach(keys::publish);
    return new AuditContext(
        session.strand(), genesis, session.signatures(), keys, session.options().bodies());
  }

  private static AuditContext genesis(AuditSession session, LogReader log, Chunk first)
      throws FaultException {
    checkStrand(session, log);
    if (first.entries().count() == 0) {
      AuditFault fault = first.sourceFault();
      throw new FaultException(
          fault != null
              ? fault
              : new AuditFault(0, FaultKind.LOG_TRUNCATED, "the log has no genesis leaf"));
    }
    AuditContext context =
        AuditedGenesis.check(
            session.strand(),
            first.entries().entry(0),
            session.signatures(),
            session.options().bodies());
    Optional<Submitters> submitters = session.options().submitters();
    if (submitters.isPresent() && !isTLedger(context.genesis())) {
      throw new FaultException(
          0, FaultKind.GENESIS_INVALID, "a T-Ledger is public and has features 1 and 5");
    }
    return context.withSubmitters(submitters.map(Submitters::keys));
  }

  private static void checkStrand(AuditSession session, LogReader log) throws FaultException {
    if (!log.strand().equals(session.strand())) {
      throw new FaultException(
          0,
          FaultKind.WRONG_LEDGER,
          "the log is of " + log.strand() + ", pinned is " + session.strand());
    }
  }

  private static boolean isTLedger(GenesisParams genesis) {
    return genesis.isPublic()
        && genesis.features().containsAll(Set.of(Feature.CLUE_TRIE, Feature.PERMANENT));
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
