package io.tallystick.audit.finding;

import io.tallystick.model.Printable;

/// One thing found wrong.
///
/// @param jsn the journal at fault; for a signature over a batch whose journals show no fault of
///   their own, the first of the batch; for a head, the last leaf it covers
/// @param detail with the actual and the expected value. It may quote untrusted text: what could
///   steer a terminal, hide or reorder text is U+FFFD in it, and it is cut to 1,000 characters
public record AuditFault(long jsn, FaultKind kind, String detail) {
  private static final int DETAIL_LENGTH_MAX = 1_000;

  public AuditFault {
    int end = Math.min(detail.length(), DETAIL_LENGTH_MAX);
    detail = Printable.of(detail.substring(0, end));
  }

  @Override
  public String toString() {
    return "jsn " + jsn + ": " + kind.plainWords() + " (" + kind + ": " + detail + ")";
  }
}
