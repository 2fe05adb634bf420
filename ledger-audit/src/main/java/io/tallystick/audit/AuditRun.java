package io.tallystick.audit;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.source.LogSource;
import java.io.IOException;

/// One way through a log to its end.
sealed interface AuditRun permits FirstRun, ResumedRun {
  /// @throws FaultException with the fault that ends the audit
  void run(LogSource source)
      throws FaultException,
          IOException,
          AuditLimitException,
          InterruptedException,
          StatementException;

  /// How many leaves an earlier run had audited.
  long resumedFrom();
}
