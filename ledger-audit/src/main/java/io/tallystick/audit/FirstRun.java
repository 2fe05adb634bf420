package io.tallystick.audit;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.source.LogSource;
import java.io.IOException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A run from where the log begins: with genesis, or behind a purge.
///
/// @param statements null if none are kept
record FirstRun(AuditSession session, @Nullable AuditStatements statements) implements AuditRun {
  @Override
  public void run(LogSource source)
      throws FaultException, IOException, AuditLimitException, InterruptedException {
    try (OpenLog log = OpenLog.first(session, source, OptionalLong.empty())) {
      session.toEnd(source, log, statements);
    }
  }

  @Override
  public long resumedFrom() {
    return 0;
  }
}
