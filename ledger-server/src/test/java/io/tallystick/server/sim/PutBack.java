package io.tallystick.server.sim;

import io.tallystick.journal.Extension;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.shard.Shard;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Submissions that a commit turn took and put back, because what was read of the state for them
/// was too old.
final class PutBack {
  private PutBack() {}

  /// Of the block that the shard has just read for an input's preconditions; −1 if it read none.
  static long readHeight(Arrival arrival, Shard up) {
    Sent sent = arrival.sent;
    if (sent == null || !sent.isConditional() || !up.isReadable() || !sent.ledger.hasState()) {
      return -1;
    }
    try {
      return isAdmitted(sent, up) ? up.indexer().strand(sent.ledger.strand).head().height() : -1;
    } catch (IOException | CorruptStreamException e) {
      return -1; // the shard found that, too
    }
  }

  /// Notes what the shard has just read of what a removal names.
  static void readRemoval(Arrival arrival, Shard up) {
    arrival.readSize = readSize(arrival, up);
    if (arrival.sent != null
        && arrival.sent.verified.headers().getFirst().extension() instanceof Extension.Purge of) {
      arrival.readFrom = arrival.sent.ledger.snapshotsFrom.getOrDefault(of.snapshotDigest(), -1L);
    }
  }

  private static long readSize(Arrival arrival, Shard up) {
    Sent sent = arrival.sent;
    if (sent == null || !RemovalRules.isRemoval(sent.kind()) || !up.isReadable()) {
      return -1;
    }
    try {
      return isAdmitted(sent, up) ? up.indexer().strand(sent.ledger.strand).head().size() : -1;
    } catch (IOException | CorruptStreamException e) {
      return -1; // the shard found that, too
    }
  }

  private static boolean isAdmitted(Sent sent, Shard up) {
    StrandHead head = up.sequencer().head(sent.ledger.strand.ledger());
    return head != null
        && head.governance().admits(sent.verified.signerKids(), sent.verified.headers().getFirst());
  }

  /// Removes from what a turn took what the shard put back.
  ///
  /// @param count how many the shard says
  static List<Arrival> of(Shard up, List<Arrival> taken, int count, RunStatistics statistics) {
    List<Arrival> back = new ArrayList<>();
    for (Arrival arrival : taken) {
      if (arrival.verdict instanceof Verdict.PutBack) {
        if (arrival.failure instanceof RequestRejectedException refusal) {
          arrival.verdict = new Verdict.Refused(refusal.code());
        } else {
          back.add(arrival);
        }
      }
    }
    Violation.unless(back.size() == count, "%s were put back, want %s", count, back.size());
    for (Arrival arrival : back) {
      arrival.verdict = null;
      arrival.readHeight = readHeight(arrival, up);
      readRemoval(arrival, up);
    }
    taken.removeAll(back);
    statistics.putBack += count;
    return back;
  }
}
