package io.tallystick.audit;

import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.audit.history.PurgeReplay;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.Snapshot;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A log opened where a statement ends: at the seal the statement was made behind. That seal holds
/// the root over all leaves before it and the hash of the seal before, so a log that has it there
/// has the history that was audited; and the root at the end, which the service signed, is computed
/// from the statement's own subtrees.
///
/// @param start with what the log begins by now; empty if with genesis
record Resumption(LogReader log, Bytes seal, Optional<Start> start) implements AutoCloseable {

  /// As the source says it. Not verified.
  ///
  /// @param seal that a log begins behind
  /// @param purge by which it begins there
  record Start(long firstKept, Bytes seal, long purge) {}

  /// Opens a log whose beginning may have been purged since.
  ///
  /// @throws StatementException if it was purged beyond the statement
  static Resumption openLeft(LogSource source, AuditStatement known)
      throws IOException, FaultException, StatementException {
    Optional<Start> start = startOf(source);
    long size = known.head().size();
    long firstKept = start.map(Start::firstKept).orElse(0L);
    if (size < firstKept) {
      throw new StatementException(
          Reason.PURGED,
          String.format(
              Locale.ROOT,
              "it is of size %d, the log was purged up to %d since; remove it to audit what is left",
              size,
              firstKept));
    }
    if (start.isEmpty() || size > firstKept) {
      return open(source, known, start);
    }
    Bytes seal = start.get().seal;
    if (!TreeHasher.leafHash(seal).equals(known.head().seal())) {
      throw new FaultException(
          size - 1,
          FaultKind.TRUSTED_HEAD_CONTRADICTED,
          "the log begins behind another seal than the one audited before");
    }
    try {
      LogReader log = source.open(size, 0);
      checkSame(log, known);
      return new Resumption(log, seal, start);
    } catch (LogFormatException e) {
      throw new FaultException(size, e.kind(), String.valueOf(e.getMessage()));
    }
  }

  private static Optional<Start> startOf(LogSource source) throws IOException, FaultException {
    try {
      Optional<PurgedStart> purged = source.purged();
      if (purged.isEmpty()) {
        return Optional.empty();
      }
      PseudoGenesis file = PseudoGenesis.decode(purged.get().pseudoGenesis());
      Snapshot snapshot = Snapshot.decode(file.snapshot());
      Leaf purge = Leaf.decode(ReceiptFile.decode(file.purge()).leaf());
      return Optional.of(
          new Start(snapshot.firstKept().value(), snapshot.seal(), purge.jsn().value()));
    } catch (LogFormatException e) {
      throw new FaultException(0, e.kind(), String.valueOf(e.getMessage()));
    } catch (MalformedException e) {
      throw new FaultException(0, FaultKind.PSEUDO_GENESIS_INVALID, String.valueOf(e.getMessage()));
    }
  }

  /// @throws FaultException if the log is another or shorter than the one that was audited
  private static Resumption open(LogSource source, AuditStatement known, Optional<Start> start)
      throws IOException, FaultException {
    AuditStatement.Head head = known.head();
    if (head.sealAt() > 0) {
      Resumption hinted = tryOpen(source, known, start, head.sealAt());
      if (hinted != null) {
        return hinted;
      }
    }
    Resumption found = tryOpen(source, known, start, 0);
    if (found == null) {
      throw new AssertionError("without a hint it is found or at fault");
    }
    return found;
  }

  /// @return null if the hint led astray
  private static @Nullable Resumption tryOpen(
      LogSource source, AuditStatement known, Optional<Start> start, long hint)
      throws IOException, FaultException {
    long jsn = known.head().size() - 1;
    LogReader log = null;
    boolean found = false;
    try {
      log = source.open(jsn, hint);
      checkSame(log, known);
      LogEntry entry = log.next();
      Digest hash = Digest.ZERO;
      if (entry != null) {
        hash = TreeHasher.leafHash(entry.leaf());
        found = hash.equals(known.head().seal());
        if (found) {
          return new Resumption(log, entry.leaf(), start);
        }
      }
      if (hint > 0) {
        return null;
      }
      throw new FaultException(
          jsn,
          FaultKind.TRUSTED_HEAD_CONTRADICTED,
          String.format(
              Locale.ROOT,
              "leaf %d has hash %s, audited before was %s",
              jsn,
              hash,
              known.head().seal()));
    } catch (LogFormatException e) {
      if (hint > 0) {
        return null;
      }
      throw new FaultException(jsn, e.kind(), String.valueOf(e.getMessage()));
    } finally {
      if (log != null && !found) {
        log.close();
      }
    }
  }

  /// A log begins with its newest purge while that can still be recalled. An audit of what is left
  /// cannot be gone on from when it was: what is below was never read. A later purge goes above the
  /// jsn of the one before, unless that was recalled.
  ///
  /// @param purges as the statement has them; told if the log begins farther by now
  /// @throws StatementException if the statement is of a log that began with a purge that was
  ///   recalled since
  void checkStart(PurgeReplay purges) throws StatementException {
    long before = purges.startedBy();
    if (before == PurgeReplay.NONE || start.filter(now -> now.purge == before).isPresent()) {
      return;
    }
    if (start.isEmpty() || start.get().firstKept <= before) {
      throw new StatementException(
          Reason.PURGE_RECALLED,
          String.format(
              Locale.ROOT,
              "it is of a log that began with purge %d, by now the log begins with %s; remove it to audit anew",
              before,
              start.map(now -> "purge " + now.purge).orElse("genesis")));
    }
    purges.beginsFarther();
  }

  /// The seal, which has the roots of clues and state.
  ///
  /// @throws StatementException if the leaf the statement names is no seal
  SealLeaf sealLeaf() throws StatementException {
    try {
      if (Leaf.decode(seal) instanceof SealLeaf found) {
        return found;
      }
      throw new StatementException(Reason.MALFORMED, "it was not made behind a seal");
    } catch (MalformedException e) {
      throw new StatementException(Reason.MALFORMED, "its seal: " + e.getMessage(), e);
    }
  }

  private static void checkSame(LogReader log, AuditStatement known) throws FaultException {
    if (!log.strand().equals(known.strand())) {
      throw new FaultException(
          0,
          FaultKind.WRONG_LEDGER,
          "the log is of " + log.strand() + ", pinned is " + known.strand());
    }
    long size = known.head().size();
    if (log.size() < size) {
      throw new FaultException(
          Math.max(0, log.size() - 1),
          FaultKind.TRUSTED_HEAD_CONTRADICTED,
          "the log ends at size " + log.size() + ", it was audited up to size " + size);
    }
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
