package io.tallystick.audit.finding;

/// The audit could not be finished within this auditor's bounds: neither passed nor failed.
public final class AuditLimitException extends Exception {
  private static final long serialVersionUID = 1;

  public AuditLimitException(String message) {
    super(message);
  }
}
