package io.tallystick.server.shard;

import io.tallystick.journal.Extension;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.sequencer.Prepared;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/// Reads what a submission's decision depends on, off the commit thread, before it is queued: what
/// the keys of its preconditions hold, and which journals the target of an occult names. The
/// sequencer decides by that and by what it remembers of newer blocks. How much is read and held at
/// once is bounded by the shard's {@link Admission}.
final class Readings {
  /// The first, and three more if the sequencer had forgotten too much by then.
  private static final int READINGS_MAX = 4;

  /// Before the second reading; four times as long before each further one. Index turns, which make
  /// a reading newer, take milliseconds.
  private static final long FIRST_PAUSE_MILLIS = 5;

  private static final int PAUSE_FACTOR_BITS = 2;

  private final Shard shard;
  private final Later later;
  private final AtomicLong putBack = new AtomicLong();

  /// @param later runs what is read again
  Readings(Shard shard, Later later) {
    this.shard = shard;
    this.later = later;
  }

  /// Submissions that were put back into the intake, read for again.
  long putBack() {
    return putBack.get();
  }

  /// Reads for a submission again, after a pause, and puts it back into the intake. Returns at
  /// once.
  ///
  /// @param stale what the sequencer could not decide
  void readAgain(AdmittedAppend stale) {
    int readings = stale.readings();
    if (readings >= READINGS_MAX) {
      stale.refuse(
          new RequestRejectedException(
              RejectionCode.RATE_LIMITED, "the state changes faster than it is indexed"));
      return;
    }
    int further = Math.max(0, readings - 1);
    try {
      later.after(FIRST_PAUSE_MILLIS << (PAUSE_FACTOR_BITS * further), () -> readAndPutBack(stale));
    } catch (RejectedExecutionException _) {
      stale.refuse(shard.unavailable()); // it is being closed
    }
  }

  private void readAndPutBack(AdmittedAppend stale) {
    if (read(stale) && shard.put(List.of(stale), 0)) {
      putBack.incrementAndGet();
    }
  }

  /// @return false if it was refused, because what it depends on cannot be read, or an occult names
  ///   what cannot be occulted
  boolean read(AdmittedAppend pending) {
    Set<Bytes> keys = pending.conditionalKeys();
    StrandId strand = pending.submission().strand();
    Optional<Extension.Removal> removal = pending.removal();
    boolean needless = keys.isEmpty() && removal.isEmpty();
    if (needless || !shard.isReadable() || !mayAppend(pending.submission())) {
      return true;
    }
    FailedReads failed = shard.failedReads();
    long openings = failed.openings();
    try {
      pending.countReading();
      StrandIndex index = shard.indexer().strand(strand);
      if (!keys.isEmpty() && index.hasState() && index.head().blocks() > 0) {
        pending.prepare(shard.state().reading(index, keys));
      }
      if (removal.isPresent()) {
        readRemoval(pending, index, removal.get());
      }
      return true;
    } catch (RequestRejectedException e) {
      pending.refuse(e.code() == RejectionCode.DAMAGED ? failed.damaged(strand, openings, e) : e);
    } catch (IOException e) {
      pending.refuse(failed.failed(openings, e));
    } catch (CorruptStreamException e) {
      pending.refuse(failed.damaged(strand, openings, e));
    } catch (RuntimeException | Error e) {
      pending.fail(e);
    }
    return false;
  }

  private void readRemoval(AdmittedAppend pending, StrandIndex index, Extension.Removal removal)
      throws IOException, CorruptStreamException, RequestRejectedException {
    switch (removal) {
      case Extension.Occult occult ->
          pending.prepare(
              new Prepared.Named(TargetReading.of(index, shard.log(), occult.target())));
      case Extension.Purge purge ->
          pending.prepare(
              new Prepared.Terms(PurgeReading.of(index, shard.tables().snapshots(), purge)));
      case Extension.Recall _ -> {} // the sequencer knows all purges
    }
  }

  /// Whether its signers are members who may append, as things are. The others it is not read for:
  /// the sequencer refuses them, or has it read for if they became members meanwhile. It also
  /// refuses what is no ledger here.
  private boolean mayAppend(VerifiedSubmission submission) {
    StrandHead head = shard.sequencer().head(submission.strand().ledger());
    return head != null
        && submission.strand().strand() == 0
        && head.governance().admits(submission.signerKids(), submission.headers().getFirst());
  }
}
