package io.tallystick.server.shard;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.Appending;
import io.tallystick.server.sequencer.Input;
import io.tallystick.server.sequencer.Prepared;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A submission on its way, and the room it holds in the shard's admission.
final class AdmittedAppend implements Input.Append<AdmittedAppend> {
  private static final Logger LOG = LoggerFactory.getLogger(AdmittedAppend.class);
  private static final int OVERHEAD_BYTES = 512;

  /// Memory of what is read for one key of a precondition, the tables that hold it included.
  static final int READING_BYTES = 256;

  private final Appending appending;
  private final long sizeBytes;
  private final LongConsumer release;
  private final AtomicBoolean settled = new AtomicBoolean();
  private final List<Ops> operations;
  private final Set<Bytes> conditionalKeys;
  private volatile Prepared prepared;
  private final AtomicInteger readings = new AtomicInteger();

  /// @param prepared what was read for it
  /// @param release given the admitted bytes back, once, when the submission is answered
  AdmittedAppend(Appending appending, Prepared prepared, LongConsumer release) {
    this.prepared = prepared;
    this.appending = appending;
    this.sizeBytes = sizeOf(appending.submission());
    this.operations = Input.Append.operationsOf(appending.submission());
    this.conditionalKeys = conditionalKeys(operations);
    this.release = release;
  }

  private static Set<Bytes> conditionalKeys(List<Ops> operations) {
    Set<Bytes> keys = new HashSet<>();
    for (Ops ops : operations) {
      for (Op op : ops.values()) {
        if (!(op.precondition() instanceof Precondition.None)) {
          keys.add(op.key());
        }
      }
    }
    return keys;
  }

  private static long sizeOf(VerifiedSubmission submission) {
    long bytes = (long) submission.attestationBytes().size() + OVERHEAD_BYTES;
    for (var request : submission.requests()) {
      bytes += request.sizeBytes();
    }
    return bytes;
  }

  @Override
  public AdmittedAppend self() {
    return this;
  }

  AppendWaiter waiter() {
    return appending.waiter();
  }

  AppendWaiter.Stream stream() {
    return appending.waiter().stream();
  }

  @Override
  public VerifiedSubmission submission() {
    return appending.submission();
  }

  @Override
  public List<Ops> operations() {
    return operations;
  }

  @Override
  public Prepared prepared() {
    return prepared;
  }

  /// Takes what was read for it. It is queued again afterwards, not meanwhile.
  void prepare(Prepared read) {
    prepared = read;
  }

  void countReading() {
    readings.incrementAndGet();
  }

  /// How often its keys were read.
  int readings() {
    return readings.get();
  }

  /// The keys on which its preconditions depend; empty if it has none.
  Set<Bytes> conditionalKeys() {
    return conditionalKeys;
  }

  /// The removal that it asks for; empty if it removes nothing.
  Optional<Extension.Removal> removal() {
    return submission().headers().getFirst().extension() instanceof Extension.Removal removal
        ? Optional.of(removal)
        : Optional.empty();
  }

  /// The bytes that it holds of the shard's {@link Admission}: its own, and those read for its
  /// preconditions.
  long admittedBytes() {
    return sizeBytes + (long) READING_BYTES * conditionalKeys.size();
  }

  int count() {
    return submission().requests().size();
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  /// It is durable.
  void committed(long firstJsn, long timeMs, boolean delegated) {
    if (!waiter().wantsCommitted()) {
      return;
    }
    try {
      waiter().committed(new Committed(firstJsn, count(), timeMs, delegated, false));
    } catch (RuntimeException e) {
      LOG.error("a front failed when it was told of a commit", e);
    }
  }

  @Override
  public void refuse(RequestRejectedException refusal) {
    fail(refusal);
  }

  @Override
  public void fail(Throwable cause) {
    if (settle()) {
      tellFailure(cause);
    }
  }

  /// For one that is settled. A front that fails must not stop the shard, nor leave those behind it
  /// waiting.
  void tellFailure(Throwable cause) {
    try {
      waiter().failed(cause);
    } catch (RuntimeException e) {
      LOG.error("a front failed when it was told of a failure", e);
    }
  }

  /// To be called before it is answered: says whether it still may be, and gives its room back.
  boolean settle() {
    boolean first = settled.compareAndSet(false, true);
    if (first) {
      release.accept(admittedBytes());
    }
    return first;
  }
}
