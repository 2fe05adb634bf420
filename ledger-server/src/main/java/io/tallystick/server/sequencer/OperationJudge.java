package io.tallystick.server.sequencer;

import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Judges the preconditions of one submission's operations, in order, each with what those before
/// it wrote. Source: `docs/formats/request.md`, "Operations".
///
/// A deleted key is to every precondition as one that was never written: whether its tombstone is
/// still in the forest depends on the fold of blocks that may not be indexed yet.
final class OperationJudge {
  private final StateOverlay overlay;
  private final StrandHead head;
  private final StrandId strand;
  private final Prepared prepared;
  private final Map<Bytes, Standing> written = new LinkedHashMap<>();

  OperationJudge(StateOverlay overlay, StrandHead head, StrandId strand, Prepared prepared) {
    this.overlay = overlay;
    this.head = head;
    this.strand = strand;
    this.prepared = prepared;
  }

  /// @param requests the operations of each
  /// @return what they leave, by key
  /// @throws RequestRejectedException `PRECONDITION_FAILED`, naming operation, key and the journal
  ///   that stands
  Map<Bytes, Standing> judge(List<Ops> requests, long firstJsn)
      throws RequestRejectedException, StaleReadingException {
    for (int i = 0; i < requests.size(); i++) {
      try {
        judge(requests.get(i), firstJsn + i);
      } catch (RequestRejectedException refusal) {
        throw requests.size() == 1 ? refusal : refusal.atIndex(i);
      }
    }
    return written;
  }

  private void judge(Ops ops, long jsn) throws RequestRejectedException, StaleReadingException {
    for (int i = 0; i < ops.size(); i++) {
      Op op = ops.values().get(i);
      if (!(op.precondition() instanceof Precondition.None)) {
        check(i, op, standing(op.key()));
      }
      written.put(op.key(), new Standing(jsn, op instanceof Op.Put put ? put.valueCommit() : null));
    }
  }

  private @Nullable Standing standing(Bytes key) throws StaleReadingException {
    Standing standing = written.get(key);
    if (standing == null) {
      standing = overlay.newest(strand, key);
    }
    if (standing != null) {
      return standing;
    }
    if (prepared instanceof KeyReading(long height, Map<Bytes, Standing> held)
        && height >= head.forgottenHeight()) {
      return held.get(key);
    }
    throw new StaleReadingException();
  }

  private static void check(int index, Op op, @Nullable Standing standing)
      throws RequestRejectedException {
    Digest held = standing == null ? null : standing.valueCommit();
    boolean holds =
        switch (op.precondition()) {
          case Precondition.None() -> true;
          case Precondition.IfAbsent() -> held == null;
          case Precondition.IfVersion(var jsn) ->
              standing != null && held != null && standing.jsn() == jsn.value();
          case Precondition.IfCommit(var commit) -> held != null && commit.equals(held);
        };
    if (!holds) {
      throw failed(index, op, standing);
    }
  }

  private static RequestRejectedException failed(int index, Op op, @Nullable Standing standing) {
    String wants =
        switch (op.precondition()) {
          case Precondition.None() -> "nothing";
          case Precondition.IfAbsent() -> "no value";
          case Precondition.IfVersion(var jsn) -> "the value of journal " + jsn.value();
          case Precondition.IfCommit(var commit) -> "the value with commitment " + commit;
        };
    String is =
        standing == null
            ? "no journal wrote it, or it was deleted long ago"
            : String.format(
                Locale.ROOT,
                "journal %d %s it",
                standing.jsn(),
                standing.valueCommit() == null ? "deleted" : "put");
    RequestRejectedException refusal =
        new RequestRejectedException(
                RejectionCode.PRECONDITION_FAILED,
                String.format(
                    Locale.ROOT,
                    "operation %d wants key %s to hold %s; %s",
                    index,
                    Printable.name(op.key()),
                    wants,
                    is))
            .atOperation(index, op.key());
    return standing == null ? refusal : refusal.atJsn(standing.jsn());
  }
}
