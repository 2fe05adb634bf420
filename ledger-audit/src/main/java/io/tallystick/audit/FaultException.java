package io.tallystick.audit;

/// Carries the fault that ends a check to where it is recorded.
final class FaultException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient AuditFault fault;

  FaultException(AuditFault fault) {
    super(fault.toString(), null, false, false);
    this.fault = fault;
  }

  FaultException(long jsn, FaultKind kind, String detail) {
    this(new AuditFault(jsn, kind, detail));
  }

  AuditFault fault() {
    return fault;
  }
}
