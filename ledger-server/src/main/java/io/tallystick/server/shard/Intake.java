package io.tallystick.server.shard;

import io.tallystick.server.sequencer.Input;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The queue before the sequencer. Many put, the commit thread takes all that fits a frame, whole
/// submissions only; it lingers for company when it has little, which is what makes batches adapt
/// to the load.
final class Intake {
  /// At most so many rounds of lingering, each of {@link ShardConfig.Commits#lingerMicros}.
  private static final int LINGERS_MAX = 16;

  /// Another round needs so many arrivals in the one before, and so large a part of what waits.
  private static final int COMPANY_MIN = 4;

  private static final int COMPANY_SHARE = 16;

  /// While the proxies say that more is on its way, lingering ends at so many times the usual
  /// bytes: when signatures keep all processors busy, a block more costs journals.
  private static final int FOLLOWED_TIMES = 4;

  /// Fewer inputs are large ones, which need no company.
  private static final int FOLLOWED_INPUTS_MIN = 16;

  /// The longest that an input waits because more is on its way.
  private static final long FOLLOWED_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(20);

  private final ShardConfig config;

  /// Negative: as long as company comes.
  private final long fixedLingerNanos;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Deque<Input<AdmittedAppend>> inputs = new ArrayDeque<>();
  private long bytes;
  private long journals;
  private int following;
  private boolean closed;

  Intake(ShardConfig config) {
    this.config = config;
    this.fixedLingerNanos = config.blocks().linger().map(Duration::toNanos).orElse(-1L);
  }

  /// @param more how many further inputs the caller is about to put
  /// @return false if the shard is closing
  boolean put(List<Input<AdmittedAppend>> arriving, int more) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      boolean first = inputs.isEmpty();
      boolean hadEnough = hasEnough();
      for (Input<AdmittedAppend> input : arriving) {
        inputs.add(input);
        bytes += input.sizeBytes();
        journals += input.journals();
      }
      following = more;
      // A take that lingers is woken when there is enough, not for every arrival.
      if (first || (!hadEnough && hasEnough())) {
        arrived.signal();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Waits at most `millis` for a first input, then takes what fits a frame; one that stands alone,
  /// alone. Empty when none came or the intake is closed and drained.
  List<Input<AdmittedAppend>> take(long millis, boolean linger) throws InterruptedException {
    lock.lock();
    try {
      awaitFirst(TimeUnit.MILLISECONDS.toNanos(millis));
      if (!inputs.isEmpty() && !hasEnough() && !closed) {
        if (fixedLingerNanos >= 0) {
          linger(fixedLingerNanos);
        } else if (linger) {
          awaitCompany();
        }
      }
      return drain();
    } finally {
      lock.unlock();
    }
  }

  private void awaitFirst(long nanos) throws InterruptedException {
    long left = nanos;
    while (inputs.isEmpty() && !closed && left > 0) {
      left = arrived.awaitNanos(left);
    }
  }

  /// Lingers once, and again as long as that brought much: a block costs the same whatever its
  /// size, so under load few large ones leave more time for journals.
  private void awaitCompany() throws InterruptedException {
    long started = System.nanoTime();
    int before;
    int rounds = 0;
    boolean worthwhile;
    do {
      before = inputs.size();
      linger(TimeUnit.MICROSECONDS.toNanos(config.commits().lingerMicros()));
      rounds++;
      worthwhile =
          following > 0
              ? System.nanoTime() - started < FOLLOWED_NANOS_MAX
              : rounds < LINGERS_MAX
                  && inputs.size() - before >= Math.max(COMPANY_MIN, before / COMPANY_SHARE);
    } while (worthwhile && !hasEnough() && !closed);
  }

  private boolean hasEnough() {
    if (journals >= config.blocks().journalsMax()) {
      return true;
    }
    if (fixedLingerNanos >= 0) {
      return bytes >= config.commits().frameBytesMax();
    }
    boolean followed = following > 0 && inputs.size() >= FOLLOWED_INPUTS_MIN;
    return bytes >= config.commits().lingerBytes() * (followed ? FOLLOWED_TIMES : 1);
  }

  private void linger(long nanos) throws InterruptedException {
    long left = nanos;
    while (!hasEnough() && !closed && left > 0) {
      left = arrived.awaitNanos(left);
    }
  }

  private List<Input<AdmittedAppend>> drain() {
    List<Input<AdmittedAppend>> taken = new ArrayList<>();
    long takenBytes = 0;
    long takenJournals = 0;
    boolean alone = false;
    while (!inputs.isEmpty() && takenBytes < config.commits().frameBytesMax() && !alone) {
      Input<AdmittedAppend> next = inputs.element();
      boolean tooMany = takenJournals + next.journals() > config.blocks().journalsMax();
      alone = next.standsAlone();
      if (!taken.isEmpty() && (alone || tooMany)) {
        break;
      }
      inputs.remove();
      takenBytes += next.sizeBytes();
      takenJournals += next.journals();
      taken.add(next);
    }
    bytes -= takenBytes;
    journals -= takenJournals;
    return taken;
  }

  int size() {
    lock.lock();
    try {
      return inputs.size();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
  }

  boolean isDrained() {
    lock.lock();
    try {
      return closed && inputs.isEmpty();
    } finally {
      lock.unlock();
    }
  }
}
