package io.tallystick.audit;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.history.PurgeJudge;
import io.tallystick.audit.source.LogSource;
import java.io.IOException;
import java.util.OptionalLong;

/// A run over the beginning of a log that an audit has read, to make snapshots: without signatures
/// below the last of them, and without a head.
///
/// @param session of its own, which makes them
record PrefixRun(AuditSession session) {
  /// @throws FaultException if the log is not what it was
  PurgeJudge.Read read(LogSource source)
      throws FaultException, IOException, AuditLimitException, InterruptedException {
    try (session;
        OpenLog log =
            OpenLog.first(session, source, OptionalLong.of(session.snapshotsAt().last()))) {
      var _ = session.walk(log, (_, _) -> {});
      return PurgeJudge.Read.of(
          log.replay().removalReplay(), log.firstKept(), session.snapshotsAt());
    }
  }
}
