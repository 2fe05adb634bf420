package io.tallystick.audit.finding;

/// Is told how far an audit is, a few times a second, on the thread that audits.
@FunctionalInterface
public interface AuditProgress {
  AuditProgress NONE = (done, total, rate) -> {};

  /// @param leavesTotal as the source of the log promises it
  void onProgress(long leavesDone, long leavesTotal, double leavesPerSecond);
}
