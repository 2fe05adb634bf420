package io.tallystick.audit;

/// The heads of other ledgers that a T-Ledger holds.
///
/// @param judged whose submitter's keys are known; faults among them are listed
/// @param unjudged whose submitter's keys are not
/// @param ledgers that submitted those judged
/// @param unknownLedgers that submitted the others
public record HeldHeads(long judged, long unjudged, long ledgers, long unknownLedgers) {
  static final HeldHeads NONE = new HeldHeads(0, 0, 0, 0);
}
