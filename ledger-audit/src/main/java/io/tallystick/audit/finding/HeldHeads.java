package io.tallystick.audit.finding;

/// The heads of other ledgers that a T-Ledger holds.
///
/// @param judged whose submitter's keys are known; faults among them are listed
/// @param unjudged whose submitter's keys are not
/// @param ledgers that submitted those judged
/// @param unknownLedgers that submitted the others
/// @param late of those judged, sealed more than 1 s before they were entered: the time of their
///   seals is the submitter's word
/// @param lagMs from the seal to the entry, the longest of those judged
public record HeldHeads(
    long judged, long unjudged, long ledgers, long unknownLedgers, long late, long lagMs) {
  public static final HeldHeads NONE = new HeldHeads(0, 0, 0, 0, 0, 0);
}
