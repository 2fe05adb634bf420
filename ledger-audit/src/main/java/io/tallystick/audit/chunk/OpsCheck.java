package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.replay.StateOp;
import io.tallystick.audit.replay.StateOp.Condition;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.OpsRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// The check that the operations beside a leaf are those its header counts and commits to. Without
/// them the state behind this journal cannot be known.
final class OpsCheck {
  private OpsCheck() {}

  /// @throws FaultException if operations stand where there can be none
  static void checkNone(long jsn, LogEntry entry) throws FaultException {
    if (!entry.ops().isEmpty()) {
      throw mismatch(jsn, entry.ops().size() + " bytes of operations with a leaf that has none");
    }
  }

  /// @return the operations in order
  static List<StateOp> check(long jsn, Bytes encoded, RequestHeader header) throws FaultException {
    if (encoded.isEmpty() && header.opsCount() > 0) {
      throw new FaultException(
          jsn,
          FaultKind.OPERATIONS_MISSING,
          "no operations are there, the header has " + header.opsCount());
    }
    Ops ops;
    OpsRoot root;
    try {
      ops = Ops.decode(encoded);
      root = Ops.rootOf(encoded);
    } catch (MalformedException e) {
      throw mismatch(jsn, "operations: " + e.getMessage());
    }
    if (ops.size() != header.opsCount()) {
      throw mismatch(jsn, ops.size() + " operations, the header has " + header.opsCount());
    }
    if (!Objects.equals(root, header.opsRoot())) {
      throw mismatch(jsn, "opsRoot is " + root + ", the header says " + header.opsRoot());
    }
    List<StateOp> told = new ArrayList<>(ops.size());
    ops.values().forEach(op -> told.add(told(op)));
    return told;
  }

  private static StateOp told(Op op) {
    Condition condition = condition(op.precondition());
    return switch (op) {
      case Op.Put put -> new StateOp(put.key(), put.valueCommit(), put.valueSizeBytes(), condition);
      case Op.Delete delete -> new StateOp(delete.key(), null, 0, condition);
    };
  }

  private static Condition condition(Precondition precondition) {
    return switch (precondition) {
      case Precondition.None() -> new Condition.Always();
      case Precondition.IfAbsent() -> new Condition.Absent();
      case Precondition.IfVersion(Jsn jsn) -> new Condition.Version(jsn.value());
      case Precondition.IfCommit(var commit) -> new Condition.Commit(commit);
    };
  }

  private static FaultException mismatch(long jsn, String detail) {
    return new FaultException(jsn, FaultKind.OPERATIONS_MISMATCH, detail);
  }
}
