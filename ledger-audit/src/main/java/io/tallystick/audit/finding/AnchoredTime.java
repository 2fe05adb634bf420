package io.tallystick.audit.finding;

import java.util.List;

/// The times that time-stamp tokens prove of a log's journals. The window of a journal lies between
/// the latest token at or below it and the first one about a head that covers it.
///
/// @param authorities whether the auditor was given authorities to judge tokens by
/// @param judged time journals whose token or T-Ledger entry was verified
/// @param unjudged time journals that this auditor could not judge: it was given no authorities, or
///   no T-Ledger
/// @param earliestMs genTime of the earliest token verified; −1 if there is none, or it is in a
///   part of the log that an auditor of before version 5 of the statement audited
/// @param latestMs genTime of the latest token verified, −1 if there is none
/// @param journals that have a window
/// @param largestMs of the windows, −1 if there is none
/// @param medianMs over the journals, exact below 1,024 ms and else at most 0.2 % too large
/// @param unbounded journals that existed at a token's time, but are not proven to be later than
///   anything
/// @param tailJournals at the end, that no token covers
/// @param tailMs from the latest token below the tail to the last leaf, by the service's clock; −1
///   if there is no tail or no token below it
/// @param tLedgers by which entries were judged
public record AnchoredTime(
    boolean authorities,
    long judged,
    long unjudged,
    long earliestMs,
    long latestMs,
    long journals,
    long largestMs,
    long medianMs,
    long unbounded,
    long tailJournals,
    long tailMs,
    List<TLedger> tLedgers) {
  public AnchoredTime {
    tLedgers = List.copyOf(tLedgers);
  }

  /// A T-Ledger that the auditor was given.
  ///
  /// @param size how many of its leaves were audited; −1 if only its keys are known
  public record TLedger(String ledgerId, long size) {}

  /// Whether any verified token bounds a time.
  public boolean anchored() {
    return earliestMs >= 0 || latestMs >= 0;
  }
}
