package io.tallystick.server.shard;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Appending;
import io.tallystick.node.Founding;
import io.tallystick.server.certificate.ChainTable;
import io.tallystick.server.clue.ClueReader;
import io.tallystick.server.keys.ServicePairs;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.sequencer.Input;
import io.tallystick.server.sequencer.Prepared;
import io.tallystick.server.sequencer.Sequencer;
import io.tallystick.server.state.PastStates;
import io.tallystick.server.state.ProvenStateReader;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The unit of sequencing, forcing and takeover: one writer, one commit stream. It has no threads:
/// {@link ShardThreads} gives it two that take its turns, and a simulator may take them one by one.
/// After a failed force it reopens itself from disk once, then stays read-only until an operator
/// restarts it; after an index failure that is no disk's, and when another writer has fenced it, it
/// stops at once. Where another process may own it, it claims its stream again while it is the
/// owner that is named. A full disk is no failure: it waits for room. Source:
/// `docs/architecture.md`, "Recovery and failure".
///
/// Submissions and reads come from any thread. Commit turns, {@link #endServing} and {@link
/// #waitingTurn} have one owner thread; index turns have another.
public final class Shard implements AutoCloseable {
  /// The phase that the shard is in. Only its commit thread changes it.
  public enum Phase {
    /// Commits and indexes: {@link #commitTurn} and {@link #indexTurn} until both have returned
    /// false, then {@link #endServing}.
    SERVING,

    /// Refuses appends until there is room on the disk: {@link #waitingTurn}.
    NO_ROOM,

    /// Refuses appends until it has claimed its stream again: {@link #waitingTurn}.
    UNCLAIMED,

    /// Refuses appends until it is closed: {@link #waitingTurn}.
    READ_ONLY,

    /// Takes no further turn.
    ENDED
  }

  private final ShardStorage storage;
  private final ShardConfig config;
  private final ServicePairs pairs;
  private final Evidence evidence;
  private final ShardMetrics metrics;
  private final Executor answerThreads;
  private final Intake intake;
  private final Admission admission;
  private final ShardNotes notes;
  private final Readings readings;
  private final ShardRemovals removals;
  private final DiskStalls stalls;
  private final FailurePolicy policy;
  private final FailedReads failedReads = new FailedReads(this::log);
  private final SavedCopies copies;
  private final ShardOpenings openings;

  private Shard(
      RecoveryParts parts,
      Recovery recovery,
      ShardRemovals removals,
      Following following,
      Executor answerThreads,
      Later later)
      throws IOException, CorruptStreamException {
    this.storage = parts.storage();
    this.copies = new SavedCopies(storage);
    this.config = parts.config();
    this.metrics = parts.metrics();
    this.answerThreads = answerThreads;
    this.removals = removals;
    this.readings = new Readings(this, later);
    this.admission = new Admission(config.requests().admittedBytesMax());
    this.notes = parts.notes();
    this.pairs = parts.signer().pairs();
    this.evidence = new Evidence(parts.signer());
    this.intake = new Intake(config);
    this.stalls =
        new DiskStalls(storage.disk(), config.disk().stallMillis(), storage.stream().shard());
    this.openings =
        new ShardOpenings(
            storage,
            recovery,
            recovery.open(following),
            this::newLoops,
            failedReads,
            new Replacing());
    this.policy = new FailurePolicy(storage, config, intake, stalls, openings);
    notes.serve(admission, inputs -> put(inputs, 0));
    ShardGauges.register(metrics, this, intake, admission, storage.disk());
  }

  /// Recovers the shard from its storage.
  ///
  /// @param arrays sizes at which arrays of the indexes move to files
  /// @param answerThreads run what tells the clients their receipts
  /// @param later runs what is read again
  /// @throws CorruptStreamException if what is stored contradicts itself
  public static Shard open(
      ShardStorage storage,
      ShardConfig config,
      ArrayLimits arrays,
      BatchHasher hasher,
      HeadSigner signer,
      MeterRegistry registry,
      Executor answerThreads,
      Later later)
      throws IOException, CorruptStreamException {
    return FollowingShard.open(storage, config, arrays, hasher, signer, registry)
        .promote(answerThreads, later);
  }

  /// The shard that one which follows becomes. That is closed if this fails.
  static Shard of(
      RecoveryParts parts,
      Recovery recovery,
      Following following,
      Executor answerThreads,
      Later later)
      throws IOException, CorruptStreamException {
    ShardRemovals removals;
    try {
      ShardStorage storage = parts.storage();
      removals = new ShardRemovals(parts, PastStates.open(storage.disk(), parts.hasher()));
    } catch (IOException | RuntimeException | Error e) {
      RestoredShard.closeAfter(e, following);
      throw e;
    }
    return new Shard(parts, recovery, removals, following, answerThreads, later);
  }

  private final class Replacing implements ShardOpenings.Replacing {
    @Override
    public void begins() {
      copies.reopening();
    }

    @Override
    public void ended() {
      removals.past().forget(); // who begins one before this, reads what goes
    }
  }

  private Loops newLoops(OpenShard current) {
    IndexBacklog backlog =
        new IndexBacklog(config.indexing().aheadFrames(), config.indexing().aheadBytes());
    CommitLoop commits =
        new CommitLoop(config, storage, current, intake, backlog, metrics, readings::readAgain);
    Answers answers = new Answers(current, evidence, answerThreads);
    IndexLoop indexes =
        new IndexLoop(
            config,
            storage,
            current,
            backlog,
            answers,
            commits::recycle,
            metrics,
            removals::removalSaved,
            copies);
    return new Loops(backlog, commits, indexes);
  }

  public Phase phase() {
    return policy.phase();
  }

  private OpenShard open() {
    return openings.present();
  }

  public Sequencer sequencer() {
    return open().sequencer();
  }

  public Indexer indexer() {
    return open().indexer();
  }

  public LogReader log() {
    return open().log();
  }

  /// Behind the last durable frame. For the owner of the commit turns.
  public StreamPosition durableEnd() {
    return open().writer().end();
  }

  /// The answers to failed reads.
  public FailedReads failedReads() {
    return failedReads;
  }

  public ClueReader clues() {
    OpenShard current = open();
    return new ClueReader(evidence, current.log(), current.indexer().recentHeads());
  }

  public ProvenStateReader state() {
    return new ProvenStateReader(evidence, open().log(), removals.states(), removals.past());
  }

  /// What it keeps beside its log. To be asked for each call.
  public ShardTables tables() {
    return open().tables();
  }

  /// Has decisions of notes taken, also over a reopening.
  public NoteWriter notes() {
    return notes;
  }

  /// The rows that notes write. To be asked for each call.
  public NoteRows noteRows() {
    return open().notes();
  }

  /// By which its ledgers judge. To be asked for each call.
  public LedgerTime time() {
    return open().time();
  }

  public Evidence evidence() {
    return evidence;
  }

  public boolean isReadable() {
    return openings.isReadable();
  }

  public DiskStalls stalls() {
    return stalls;
  }

  /// Why appends are refused, for good or until the stream is claimed again; null while they are
  /// not.
  public @Nullable Throwable stopped() {
    return policy.waitsFor();
  }

  /// Tells whether what this opening of the shard knows is all there is. To be taken before
  /// something is read, and asked after that: when the shard opens itself again it has ended.
  public OwnerLease lease() {
    return open().lease();
  }

  /// Submissions that no turn has taken yet.
  public int queued() {
    return intake.size();
  }

  /// Bytes of submissions that are not answered yet.
  public long admittedBytes() {
    return admission.bytes();
  }

  IndexBacklog backlog() {
    return openings.loops().backlog();
  }

  /// Frames that are durable and not sealed yet. With as many as the config lets it be ahead, a
  /// commit turn waits.
  public int unsealedFrames() {
    return openings.loops().backlog().frames();
  }

  /// Queues submissions in this order. What cannot be queued is refused: `RATE_LIMITED` or
  /// `UNAVAILABLE`.
  ///
  /// @param following how many more the caller is about to hand over
  public void append(List<Appending> submissions, int following) {
    List<Input<AdmittedAppend>> admitted = new ArrayList<>(submissions.size());
    ChainTable chains = tables().chains();
    for (Appending each : submissions) {
      try {
        pairs.lookFor(each.submission().headers().getFirst()); // the sequencer reads no files
        AdmittedAppend pending =
            new AdmittedAppend(each, prepared(chains, each.submission()), admission::release);
        admission.admit(pending.admittedBytes());
        if (readings.read(pending)) {
          admitted.add(pending);
        }
      } catch (RequestRejectedException refusal) {
        each.waiter().failed(refusal);
      }
    }
    put(admitted, following);
  }

  private static Prepared prepared(ChainTable chains, VerifiedSubmission submission)
      throws RequestRejectedException {
    return chains
        .namedBy(submission.headers().getFirst())
        .<Prepared>map(Prepared.Shown::new)
        .orElseGet(Prepared.Nothing::new);
  }

  /// Queues the founding of a ledger; completes, once sealed, with whether it existed.
  ///
  /// @throws RequestRejectedException `RATE_LIMITED`
  public CompletableFuture<Boolean> found(Founding founding) throws RequestRejectedException {
    admission.admit(AdmittedFounding.sizeOf(founding));
    AdmittedFounding pending = new AdmittedFounding(founding, admission::release);
    put(List.of(pending), 0);
    return pending.existed();
  }

  /// Submissions that a turn took and put back, to be read for again.
  public long putBack() {
    return readings.putBack();
  }

  /// @return whether all of them are queued; refused otherwise
  boolean put(List<Input<AdmittedAppend>> inputs, int following) {
    boolean queued = policy.takesAppends() && intake.put(inputs, following);
    if (!queued) {
      inputs.forEach(input -> input.refuse(unavailable()));
    }
    return queued;
  }

  RequestRejectedException unavailable() {
    return policy.unavailable();
  }

  /// Refuses submissions from now on. What was admitted is still committed and indexed: some turns
  /// later the phase is {@link Phase#ENDED}.
  public void closeIntake() {
    intake.close();
  }

  /// Waits for submissions and commits them: one frame.
  ///
  /// @param idleMillis the longest to wait for a first submission
  /// @return false after the last turn of this {@link Phase#SERVING}
  public boolean commitTurn(long idleMillis) {
    return openings.loops().commitTurn(idleMillis);
  }

  /// Waits for a durable frame, indexes and seals it, answers its submissions; takes a savepoint if
  /// one is due.
  ///
  /// @param idleMillis the longest to wait for a frame
  /// @return false after the last turn of this {@link Phase#SERVING}
  public boolean indexTurn(long idleMillis) {
    removals.past().dropUnused();
    return openings.loops().indexTurn(idleMillis);
  }

  /// Takes a savepoint now, in place of an index turn.
  ///
  /// @return as an index turn
  public boolean savepoint() {
    return openings.loops().savepoint();
  }

  /// Erases a piece of what was removed.
  public ShardRemovals.Left erasureTurn() {
    return policy.ownsStream() ? removals.turn(open()) : ShardRemovals.Left.FAILED;
  }

  /// Its savepoints, to be copied.
  public SavedCopies copies() {
    return copies;
  }

  public ShardRemovals removals() {
    return removals;
  }

  /// Both loops have had their last turn: the failure policy says what the shard does next.
  ///
  /// @return why they ended; null if the shard is closing
  public @Nullable Throwable endServing() {
    Throwable cause = openings.loops().end();
    open().lease().renewNoMore();
    policy.ended(cause);
    return cause;
  }

  /// A turn of a shard that takes no appends: refuses those that wait, and opens it again as soon
  /// as there is room, or the stream is claimed.
  ///
  /// @param idleMillis the longest to wait for a submission
  public void waitingTurn(long idleMillis) {
    policy.waitingTurn(idleMillis);
  }

  /// Lets what is open go. To be called when no turn is taken any more.
  @Override
  public void close() throws IOException {
    copies.close();
    removals.close();
    removals.past().close();
    open().close();
  }
}
