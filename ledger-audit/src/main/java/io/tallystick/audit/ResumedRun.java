package io.tallystick.audit;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.ChunkReader;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.history.Replay;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.journal.SealLeaf;
import java.io.IOException;
import java.util.Locale;

/// A run from where a statement of this auditor ends.
record ResumedRun(AuditSession session, AuditStatements statements, AuditStatement known)
    implements AuditRun {
  @Override
  public void run(LogSource source)
      throws FaultException,
          IOException,
          AuditLimitException,
          InterruptedException,
          StatementException {
    checkSnapshots();
    AuditContext context = known.context(session.signatures());
    Replay replay = session.begin(context);
    replay.restore(known);
    try (Resumption at = Resumption.openLeft(source, known)) {
      SealLeaf seal = at.sealLeaf();
      statements.readClues(known, seal.clueRoot(), replay.clues());
      statements.readState(known, seal.stateRoot(), replay.state());
      statements.readRemovals(known, replay.removalReplay());
      at.checkStart(replay.removalReplay().purges());
      ChunkReader chunks = new ChunkReader(at.log(), resumedFrom(), at.seal());
      session.toEnd(
          source, new OpenLog(at.log(), chunks, chunks.next(), context, replay, 0), statements);
    }
  }

  /// A snapshot needs all leaves below it.
  private void checkSnapshots() throws StatementException {
    if (session.snapshotsAt().isEmpty()) {
      return;
    }
    long lowest = session.snapshotsAt().first();
    if (lowest <= resumedFrom() || known.removals().firstJsn() > 0) {
      throw new StatementException(
          StatementException.Reason.OTHER_OPTIONS,
          String.format(
              Locale.ROOT,
              "it is of size %d, so it cannot make the snapshot at %d",
              resumedFrom(),
              lowest));
    }
  }

  @Override
  public long resumedFrom() {
    return known.head().size();
  }
}
