package io.tallystick.audit;

/// One thing found wrong.
///
/// @param jsn the journal at fault; for a signature over a batch whose journals show no fault of
///   their own, the first of the batch; for a head, the last leaf it covers
/// @param detail with the actual and the expected value
public record AuditFault(long jsn, FaultKind kind, String detail) {
  @Override
  public String toString() {
    return "jsn " + jsn + ": " + kind.plainWords() + " (" + kind + ": " + detail + ")";
  }
}
