package io.tallystick.audit.finding;

/// Carries the fault that ends a check to where it is recorded.
public final class FaultException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient AuditFault fault;

  public FaultException(AuditFault fault) {
    super(fault.toString(), null, false, false);
    this.fault = fault;
  }

  public FaultException(long jsn, FaultKind kind, String detail) {
    this(new AuditFault(jsn, kind, detail));
  }

  public AuditFault fault() {
    return fault;
  }
}
