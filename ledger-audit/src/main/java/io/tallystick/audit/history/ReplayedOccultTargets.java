package io.tallystick.audit.history;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.replay.ReplayJsnSet;
import io.tallystick.audit.replay.ReplayRemovalRows;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The journals that an occult names, which are to be in the log and below its block. Source:
/// `docs/audit.md`.
record ReplayedOccultTargets(ReplayRemovalRows rows, PurgeReplay purges) {
  /// @throws FaultException if one of them is no journal below the occult, or another
  ReplayJsnSet named(RemovalReplay.Signed signed, List<JournalRef> named)
      throws FaultException, AuditLimitException, IOException {
    ReplayJsnSet targets = new ReplayJsnSet();
    for (JournalRef target : named) {
      long jsn = target.jsn().value();
      if (jsn >= signed.blockJsn()) {
        throw invalid(
            signed, "journal " + jsn + " is not below its block, from " + signed.blockJsn());
      }
      if (purges.unknown(jsn)) {
        targets.add(jsn);
        continue;
      }
      checkKnown(jsn);
      int kind = rows.kind(jsn);
      if (kind != Kind.APPEND.code() && kind != Kind.CLUE_DELETE.code()) {
        throw kind == 0
            ? invalid(signed, "leaf " + jsn + " is no journal")
            : invalid(
                signed,
                String.format(Locale.ROOT, "journal %d is of kind %d, want 1 or 2", jsn, kind));
      }
      Digest hash = rows.leafHash(jsn);
      if (!hash.equals(target.leafHash())) {
        throw invalid(
            signed,
            String.format(
                Locale.ROOT,
                "journal %d has leaf hash %s, named is %s",
                jsn,
                hash,
                target.leafHash()));
      }
      targets.add(jsn);
    }
    return targets;
  }

  /// @throws FaultException if there is none, or they do not end below the occult
  ReplayJsnSet ofClue(RemovalReplay.Signed signed, ErasureTarget.OfClue target)
      throws FaultException, AuditLimitException, IOException {
    long first = target.first().value();
    long last = target.last().value();
    if (last >= signed.blockJsn()) {
      throw invalid(
          signed, "journal " + last + " is not below its block, from " + signed.blockJsn());
    }
    if (!purges.unknown(first)) {
      checkKnown(first);
    }
    ReplayJsnSet targets = rows.journals(target.clueId(), first, last);
    if (targets.isEmpty() && !purges.unknown(first)) {
      throw invalid(
          signed,
          String.format(
              Locale.ROOT, "no journal from %d to %d names clue %s", first, last, target.clueId()));
    }
    return targets;
  }

  private void checkKnown(long jsn) throws AuditLimitException {
    if (jsn < rows.firstJsn()) {
      throw new AuditLimitException(
          String.format(
              Locale.ROOT,
              "an occult names journal %d; the run before audited that and kept no record of it,"
                  + " so audit from the beginning",
              jsn));
    }
  }

  private static FaultException invalid(RemovalReplay.Signed signed, String detail) {
    return new FaultException(signed.jsn(), FaultKind.TARGET_INVALID, detail);
  }

  /// The first of the ranges that make up a set.
  static List<AuditedRemovals.Range> ranges(ReplayJsnSet jsns) {
    List<AuditedRemovals.Range> ranges = new ArrayList<>();
    long first = jsns.next(0);
    while (first != ReplayJsnSet.NONE && ranges.size() < AuditedRemovals.RANGES_MAX) {
      long last = first;
      while (jsns.contains(last + 1)) {
        last++;
      }
      ranges.add(new AuditedRemovals.Range(first, last));
      first = jsns.next(last + 1);
    }
    return ranges;
  }
}
