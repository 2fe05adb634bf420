package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.audit.replay.StateOp;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.journal.Body;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.List;
import java.util.Locale;

/// The check that the body beside a leaf is the one its header commits to.
final class BodyCheck {
  private final RunningCounts counts;
  private final List<AuditFault> faults;

  BodyCheck(RunningCounts counts, List<AuditFault> faults) {
    this.counts = counts;
    this.faults = faults;
  }

  /// @throws FaultException if a body stands where there can be none
  static void checkNone(long jsn, LogEntry entry) throws FaultException {
    if (entry.bodyState() != BodyState.NONE || hasContent(entry)) {
      throw new FaultException(
          jsn, FaultKind.BODY_UNEXPECTED, "body state is " + entry.bodyState() + ", want NONE");
    }
  }

  /// @param ops those of the header
  void check(long jsn, LogEntry entry, RequestHeader header, List<StateOp> ops) {
    switch (entry.bodyState()) {
      case PRESENT -> checkPresent(jsn, entry, header, ops);
      case NONE -> fault(jsn, FaultKind.BODY_MISSING, "body state is NONE, want PRESENT");
      case ERASED -> counts.bodiesErased++; // the replay waits for its removal
      case DAMAGED -> {
        counts.bodiesDamaged++;
        fault(jsn, FaultKind.BODY_DAMAGED, "the service says its stored bytes fail their checksum");
      }
    }
    if (entry.bodyState() != BodyState.PRESENT && hasContent(entry)) {
      fault(jsn, FaultKind.BODY_UNEXPECTED, "bytes with body state " + entry.bodyState());
    }
  }

  private void checkPresent(long jsn, LogEntry entry, RequestHeader header, List<StateOp> ops) {
    if (entry.salt().size() != Limits.SALT_BYTES) {
      fault(jsn, FaultKind.SALT_INVALID, "salt of " + entry.salt().size() + " bytes, want 32");
      return;
    }
    Digest commit = Commitments.body(entry.salt(), entry.body());
    if (!commit.equals(header.bodyCommit())) {
      fault(
          jsn,
          FaultKind.BODY_MISMATCH,
          "bodyCommit of the body found is " + commit + ", the header says " + header.bodyCommit());
      return;
    }
    if (entry.body().size() != header.bodySizeBytes()) {
      fault(
          jsn,
          FaultKind.BODY_MISMATCH,
          "body of " + entry.body().size() + " bytes, the header says " + header.bodySizeBytes());
      return;
    }
    checkContent(jsn, entry, header, ops);
    counts.bodies++;
  }

  private void checkContent(long jsn, LogEntry entry, RequestHeader header, List<StateOp> ops) {
    try {
      Body body = Body.decode(entry.body());
      int clues = header.clueIds().size();
      long puts = ops.stream().filter(op -> op.valueCommit() != null).count();
      if (body.clues().size() != clues || body.values().size() != puts) {
        fault(
            jsn,
            FaultKind.BODY_MISMATCH,
            body.clues().size()
                + " clues and "
                + body.values().size()
                + " values, want "
                + clues
                + " and "
                + puts);
        return;
      }
      if (checkClues(jsn, body.clues(), header)) {
        checkValues(jsn, body.values(), ops, entry.salt());
      }
    } catch (MalformedException e) {
      fault(jsn, FaultKind.BODY_MISMATCH, "body: " + e.getMessage());
    }
  }

  private boolean checkClues(long jsn, List<String> clues, RequestHeader header) {
    for (int i = 0; i < clues.size(); i++) {
      Digest clueId = Commitments.clueId(header.strand().ledger(), clues.get(i));
      if (!clueId.equals(header.clueIds().get(i))) {
        fault(
            jsn,
            FaultKind.BODY_MISMATCH,
            String.format(
                Locale.ROOT,
                "clue %d hashes to %s, the header says %s",
                i,
                clueId,
                header.clueIds().get(i)));
        return false;
      }
    }
    return true;
  }

  /// @param values one for each put
  private void checkValues(long jsn, List<Bytes> values, List<StateOp> ops, Bytes salt) {
    int next = 0;
    for (int i = 0; i < ops.size(); i++) {
      StateOp op = ops.get(i);
      if (op.valueCommit() == null) {
        continue;
      }
      Bytes value = values.get(next++);
      Digest commit = Commitments.value(salt, i, value);
      if (value.size() != op.valueSizeBytes() || !commit.equals(op.valueCommit())) {
        fault(
            jsn,
            FaultKind.VALUE_MISMATCH,
            String.format(
                Locale.ROOT,
                "value %d has %d bytes and commitment %s, operation %d says %d and %s",
                next - 1,
                value.size(),
                commit,
                i,
                op.valueSizeBytes(),
                op.valueCommit()));
        return;
      }
    }
  }

  private static boolean hasContent(LogEntry entry) {
    return !entry.salt().isEmpty() || !entry.body().isEmpty();
  }

  private void fault(long jsn, FaultKind kind, String detail) {
    faults.add(new AuditFault(jsn, kind, detail));
  }
}
