package io.tallystick.server.shard;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.BatchHasher;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Appending;
import io.tallystick.node.Founding;
import io.tallystick.server.clue.ClueReader;
import io.tallystick.server.clue.ClueStores;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.sequencer.Input;
import io.tallystick.server.sequencer.Sequencer;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The unit of sequencing, forcing and takeover: one writer, one commit stream, two threads of its
/// own. After a failed force it reopens itself from disk once, then stays read-only until an
/// operator restarts it; after an index failure that is no disk's it stops at once. A full disk is
/// no failure: it waits for room. Source: `docs/architecture.md`, "Recovery and failure".
public final class Shard implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Shard.class);
  private static final long ANSWERS_STOP_SECONDS = 10;
  private static final long SPACE_CHECK_MILLIS = 200;

  /// What reopening and a savepoint need at most: RocksDB's memtables, a segment's growth.
  private static final long REOPEN_FREE_BYTES_MIN = 32L << 20;

  private final ShardStorage storage;
  private final ShardConfig config;
  private final Recovery recovery;
  private final Evidence evidence;
  private final ShardMetrics metrics;
  private volatile IndexBacklog backlog;
  private final Intake intake;
  private final ExecutorService answerThreads;
  private final Thread commitThread;
  private final AtomicLong admittedBytes = new AtomicLong();
  private volatile OpenShard open;
  private volatile @Nullable Throwable stopped;
  private volatile boolean readable = true;
  private final AtomicLong openings = new AtomicLong(); // odd while it reopens

  private Shard(
      ShardStorage storage,
      ShardConfig config,
      BatchHasher hasher,
      HeadSigner signer,
      MeterRegistry registry)
      throws IOException, CorruptStreamException {
    this.storage = storage;
    this.config = config;
    this.metrics = new ShardMetrics(registry);
    this.recovery =
        new Recovery(
            storage,
            config,
            hasher,
            signer,
            List.of(ClueStores.opener(new RebuildLog(storage.stream().shard(), metrics))));
    this.evidence = new Evidence(signer);
    this.intake = new Intake(config);
    this.backlog = new IndexBacklog(config.indexAheadFrames(), config.indexAheadBytes());
    this.open = recovery.open();
    String name = "shard-" + storage.stream().shard();
    this.answerThreads =
        Executors.newFixedThreadPool(
            config.answerThreads(), Thread.ofPlatform().name(name + "-answer-", 0).factory());
    this.commitThread = Thread.ofPlatform().name(name + "-commit").unstarted(this::run);
    registerGauges();
  }

  private void registerGauges() {
    metrics.gauge(
        "ledger.intake.queue", "submissions that wait for the sequencer", intake, Intake::size);
    metrics.gauge(
        "ledger.admitted.bytes", "of submissions not answered yet", admittedBytes, AtomicLong::get);
    metrics.gauge(
        "ledger.time.ahead.ms",
        "how far the ledger's time is ahead of the machine's clock",
        this,
        Shard::timeAheadMs);
    metrics.gauge(
        "ledger.index.backlog.frames",
        "commit frames that are durable and not sealed yet",
        this,
        shard -> shard.backlog.frames());
    metrics.gauge(
        "ledger.index.backlog.bytes", "of those frames", this, shard -> shard.backlog.bytes());
    metrics.gauge(
        "ledger.strands.awake",
        "strands whose newest rows are in memory",
        this,
        shard -> shard.open.indexer().awakeStrands());
    metrics.gauge(
        "ledger.checkpoint.age.seconds",
        "how long the oldest durable frame has waited for its signed head; 0 if none waits",
        this,
        shard -> shard.backlog.oldestSeconds());
  }

  /// Recovers the shard and starts its threads.
  ///
  /// @throws CorruptStreamException if what is stored contradicts itself
  public static Shard open(
      ShardStorage storage,
      ShardConfig config,
      BatchHasher hasher,
      HeadSigner signer,
      MeterRegistry registry)
      throws IOException, CorruptStreamException {
    Shard shard = new Shard(storage, config, hasher, signer, registry);
    shard.commitThread.start();
    return shard;
  }

  public Sequencer sequencer() {
    return open.sequencer();
  }

  public Indexer indexer() {
    return open.indexer();
  }

  public LogReader log() {
    return open.log();
  }

  /// Changes when the shard begins to open itself again and when it has: what was read in between
  /// says nothing.
  public long openings() {
    return openings.get();
  }

  /// What a read that met damage is answered with. One that meets the shard's reopening sees some
  /// of the old state and some of the new: that is no damage, and the next try sees one of them.
  ///
  /// @param before what {@link #openings} was when it began
  public RequestRejectedException unlessReopened(long before, RequestRejectedException damage) {
    return openings.get() != before || before % 2 != 0
        ? new RequestRejectedException(
            RejectionCode.UNAVAILABLE, "the shard opened itself again meanwhile", damage)
        : damage;
  }

  public ClueReader clues() {
    OpenShard current = open;
    return new ClueReader(evidence, current.log(), current.indexer().recentHeads());
  }

  public Evidence evidence() {
    return evidence;
  }

  public boolean isReadable() {
    return readable;
  }

  /// How far the newest journal's time is ahead of the clock; above 0 after it was set back.
  private long timeAheadMs() {
    return Math.max(0, open.sequencer().timeMs() - storage.clock().millis());
  }

  /// Why appends are refused for good; null while they are not.
  public @Nullable Throwable stopped() {
    return stopped;
  }

  /// Queues submissions in this order. What cannot be queued is refused: `RATE_LIMITED` or
  /// `UNAVAILABLE`.
  ///
  /// @param following how many more the caller is about to hand over
  public void append(List<Appending> submissions, int following) {
    List<Input> admitted = new ArrayList<>(submissions.size());
    for (Appending each : submissions) {
      try {
        admit(PendingAppend.sizeOf(each.submission()));
        admitted.add(new PendingAppend(each, this::release));
      } catch (RequestRejectedException refusal) {
        each.waiter().failed(refusal);
      }
    }
    put(admitted, following);
  }

  /// Queues the founding of a ledger; completes, once sealed, with whether it existed.
  ///
  /// @throws RequestRejectedException `RATE_LIMITED`
  public CompletableFuture<Boolean> found(Founding founding) throws RequestRejectedException {
    admit(PendingFounding.sizeOf(founding));
    PendingFounding pending = new PendingFounding(founding, this::release);
    put(List.of(pending), 0);
    return pending.existed();
  }

  /// One that is larger than the limit is let in alone.
  private void admit(long size) throws RequestRejectedException {
    long before = admittedBytes.getAndAdd(size);
    if (before > 0 && before + size > config.admittedBytesMax()) {
      release(size);
      throw new RequestRejectedException(
              RejectionCode.RATE_LIMITED,
              "more than " + config.admittedBytesMax() + " bytes wait to be committed")
          .withLimit(config.admittedBytesMax());
    }
  }

  private void release(long size) {
    admittedBytes.addAndGet(-size);
  }

  private void put(List<Input> inputs, int following) {
    if (stopped != null || !intake.put(inputs, following)) {
      inputs.forEach(input -> input.refuse(unavailable()));
    }
  }

  private RequestRejectedException unavailable() {
    Throwable cause = stopped;
    return cause == null
        ? new RequestRejectedException(RejectionCode.UNAVAILABLE, "the shard is closing")
        : new RequestRejectedException(
            RejectionCode.UNAVAILABLE, "the shard takes no appends: " + cause.getMessage(), cause);
  }

  private void run() {
    boolean mended = false;
    Throwable failure = serve();
    while (failure != null) {
      if (failure instanceof DiskFullException) {
        failure = awaitSpace(failure) ? serveAgain(failure) : null;
      } else if (failure instanceof IOException && !mended) {
        mended = true;
        failure = serveAgain(failure);
      } else {
        refuseUntilClosed(failure);
        failure = null;
      }
    }
  }

  /// @return what failed then; null if the shard was closed
  private @Nullable Throwable serveAgain(Throwable failure) {
    Throwable again = reopen(failure);
    return again == null ? serve() : again;
  }

  /// Commits and indexes until the shard is closed (null) or something fails.
  private @Nullable Throwable serve() {
    OpenShard current = open;
    IndexBacklog ahead = new IndexBacklog(config.indexAheadFrames(), config.indexAheadBytes());
    backlog = ahead;
    CommitLoop commits = new CommitLoop(config, storage, current, intake, ahead, metrics);
    Answers answers = new Answers(current, evidence, answerThreads);
    IndexLoop indexes =
        new IndexLoop(config, storage, current, ahead, answers, commits::recycle, metrics);
    IndexThread indexing = new IndexThread(indexes, ahead, storage.stream().shard());
    indexing.start();
    Throwable failure = null;
    try {
      commits.run();
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      failure = e;
    }
    ahead.close();
    Throwable indexFailure = indexing.await();
    return indexFailure != null ? indexFailure : failure;
  }

  /// @return null if the shard is open again
  private @Nullable Throwable reopen(Throwable failure) {
    LOG.error("shard {} reopens from disk after: {}", storage.stream().shard(), failure.toString());
    openings.updateAndGet(count -> count | 1);
    try {
      open.close();
    } catch (IOException e) {
      LOG.warn("closing the failed shard: {}", e.toString());
    }
    try {
      storage.meta().reopen();
      open = recovery.open();
      readable = true;
      openings.incrementAndGet();
      return null;
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      readable = false;
      if (e instanceof DiskFullException || failure instanceof DiskFullException) {
        return e;
      }
      failure.addSuppressed(e);
      return failure;
    }
  }

  /// The disk filled up under the index or its savepoint. What is committed is safe in the stream;
  /// reads go on, appends are refused until there is room to reopen and save.
  ///
  /// @return false if the shard was closed first
  private boolean awaitSpace(Throwable failure) {
    long wanted = Math.max(config.freeBytesMin(), REOPEN_FREE_BYTES_MIN);
    LOG.error(
        "shard {} takes no appends until {} bytes are free: {}",
        storage.stream().shard(),
        wanted,
        failure.toString());
    RequestRejectedException refusal =
        new RequestRejectedException(
                RejectionCode.STORAGE_FULL,
                "no room to save the index; appends resume when %d bytes are free"
                    .formatted(wanted))
            .withLimit(wanted);
    try {
      while (!intake.isDrained()) {
        intake.take(SPACE_CHECK_MILLIS, false).forEach(input -> input.refuse(refusal));
        if (storage.disk().freeBytes() >= wanted) {
          return true;
        }
      }
    } catch (IOException e) {
      failure.addSuppressed(e);
      return true; // reopening will say what is wrong with the disk
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private void refuseUntilClosed(Throwable failure) {
    stopped = failure;
    LOG.error(
        "shard {} takes no more appends until it is restarted: {}",
        storage.stream().shard(),
        failure.toString(),
        failure);
    try {
      while (!intake.isDrained()) {
        List<Input> waiting = intake.take(100, false);
        waiting.forEach(input -> input.refuse(unavailable()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Commits and indexes what was admitted, takes a savepoint, and lets the storage go.
  @Override
  public void close() throws IOException {
    intake.close();
    try {
      commitThread.join();
      answerThreads.shutdown();
      if (!answerThreads.awaitTermination(ANSWERS_STOP_SECONDS, TimeUnit.SECONDS)) {
        answerThreads.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    open.close();
  }
}
