package io.tallystick.client.trust;

import io.tallystick.client.failure.HeadNotWitnessedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.Cosignature;
import io.tallystick.note.SignedNote;
import io.tallystick.note.Witnesses;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// How far the witnesses that a client demands have seen the log. A head is witnessed if it is
/// joined to the same log as a cosigned head that is no smaller: witnesses cosign only what
/// continues what they have seen. Waiting threads share what one of them asks. Thread-safe.
final class WitnessedHeads {
  private static final Duration PAUSE = Duration.ofMillis(250);

  /// @param cosigned where the newest cosigned checkpoint comes from
  record Demand(WitnessQuorum quorum, CosignedSource cosigned) {}

  private final TrustedLog log;
  private final Demand demand;
  private final ReentrantLock asking = new ReentrantLock();
  private volatile @Nullable SignedHead newest;
  private @Nullable Shown last;
  private long askedNanos;

  WitnessedHeads(TrustedLog log, Demand demand) {
    this.log = log;
    this.demand = demand;
  }

  /// The head that an answer of the service showed as the newest cosigned one.
  ///
  /// @param missing who has not cosigned it
  private record Shown(TreeSize size, List<String> missing) {}

  Optional<SignedHead> head() {
    return Optional.ofNullable(newest);
  }

  /// Returns when the head is witnessed.
  ///
  /// @throws HeadNotWitnessedException if it is not in time
  void await(SignedHead head) throws TallyException {
    long startNanos = System.nanoTime();
    while (!covers(head)) {
      Shown shown = ask(head, startNanos);
      if (covers(head)) {
        return;
      }
      if (System.nanoTime() - startNanos >= demand.quorum().longest().toNanos()) {
        throw unwitnessed(head, shown);
      }
      pause();
    }
  }

  private boolean covers(SignedHead head) {
    SignedHead now = newest;
    return now != null && now.size().compareTo(head.size()) >= 0;
  }

  /// Asks, unless another thread did since `sinceNanos` and less than a pause ago.
  private Shown ask(SignedHead head, long sinceNanos) throws TallyException {
    asking.lock();
    try {
      Shown known = last;
      boolean fresh =
          known != null
              && askedNanos - sinceNanos >= 0
              && System.nanoTime() - askedNanos < PAUSE.toNanos();
      if (known != null && (covers(head) || fresh)) {
        return known;
      }
      long nowNanos = System.nanoTime();
      Shown shown = look();
      last = shown;
      askedNanos = nowNanos;
      return shown;
    } finally {
      asking.unlock();
    }
  }

  private Shown look() throws TallyException {
    Bytes encoded = demand.cosigned().fetch();
    Witnesses witnesses = demand.quorum().witnesses();
    SignedHead cosigned;
    List<Cosignature> found;
    try {
      cosigned =
          log.judge(
              keys -> Checkpoint.verify(encoded, log.trust().strand(), keys, log.signatures()));
      // First: a cosignature that is invalid hides no fork.
      log.joinUnwitnessed(cosigned);
      found = witnesses.cosignatures(SignedNote.decode(encoded), log.signatures());
    } catch (MalformedException e) {
      throw log.refused(
          new ProofRejectedException(Reason.MALFORMED, "checkpoint: " + e.getMessage(), e));
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
    boolean enough = found.size() >= witnesses.quorum();
    if (enough && !covers(cosigned)) {
      newest = cosigned;
    }
    return new Shown(cosigned.size(), witnesses.missing(found));
  }

  private HeadNotWitnessedException unwitnessed(SignedHead head, Shown shown) {
    Witnesses witnesses = demand.quorum().witnesses();
    boolean older = shown.size().compareTo(head.size()) < 0;
    List<String> missing = older ? witnesses.missing(List.of()) : shown.missing();
    return new HeadNotWitnessedException(head.size(), shown.size(), witnesses.quorum(), missing);
  }

  private static void pause() throws ServiceUnavailableException {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailableException("interrupted while witnesses were awaited", true, e);
    }
  }
}
