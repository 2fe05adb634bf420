package io.tallystick.audit;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.chunk.CheckPipeline;
import io.tallystick.audit.chunk.CheckedChunk;
import io.tallystick.audit.chunk.Chunk;
import io.tallystick.audit.chunk.ChunkReader;
import io.tallystick.audit.chunk.Event;
import io.tallystick.audit.chunk.GenesisCheck;
import io.tallystick.audit.chunk.KeyDirectory;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditGossip;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditedCertificates;
import io.tallystick.audit.finding.AuditedPeople;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.finding.HeldHeads;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.ProgressMeter;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.history.EarlierHeads;
import io.tallystick.audit.history.HeadComparison;
import io.tallystick.audit.history.PurgeJudge;
import io.tallystick.audit.history.RemovalReplay;
import io.tallystick.audit.history.Replay;
import io.tallystick.audit.history.SignatureWindow;
import io.tallystick.audit.history.TimeWindows;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.options.EntryBounds;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.audit.options.Submitters;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.audit.source.PrefixReader;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.audit.source.StartWatch;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.audit.statement.ClueFile;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.Anchor;
import io.tallystick.head.HeadAge;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.removal.Snapshot;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One audit: genesis first, or a statement of an earlier run; then the chunks as they come, then
/// the heads. Used once.
final class AuditRun {
  private final StrandId pinned;
  private final Signatures signatures;
  private final AuditOptions options;
  private final int openSignaturesMax;
  private final @Nullable AuditStatements statements;
  private final @Nullable EntryBounds bounds;
  private final Findings findings;
  private final long startNanos = System.nanoTime();
  private @Nullable Replay replay;
  private LogEnd verified = LogEnd.NONE;
  private Optional<SignedHead> signed = Optional.empty();
  private final List<OtherHead> others;
  private long resumedFrom;
  private Set<Long> snapshotsAt = Set.of();

  /// Of the part that is read again to make snapshots; 0: the whole log is audited.
  private long prefixSize;

  private boolean purgesJudged;

  /// Of heads of others below the log's start, by size.
  private Map<Long, ConsistencyProof> earlierHeads = Map.of();

  /// The lowest leaf that the log has.
  private long firstKept;

  private Optional<Anchor.Signed> anchor = Optional.empty();

  /// @param bounds told of a T-Ledger's entries and tokens; null if nobody asks
  AuditRun(
      StrandId pinned,
      Signatures signatures,
      AuditOptions options,
      int openSignaturesMax,
      @Nullable AuditStatements statements,
      @Nullable EntryBounds bounds) {
    if (statements != null && options.submitters().isPresent()) {
      throw new IllegalArgumentException("a statement does not hold a T-Ledger's heads");
    }
    this.pinned = pinned;
    this.signatures = signatures;
    this.options = options;
    this.openSignaturesMax = openSignaturesMax;
    this.statements = statements;
    this.bounds = bounds;
    this.findings = new Findings(options.stopAtFirstFault());
    this.others = new ArrayList<>(options.gossip().others());
  }

  /// Makes a purge's snapshot, too.
  AuditRun withSnapshot(long firstKept) {
    snapshotsAt = Set.of(firstKept);
    return this;
  }

  /// After an audit that found no fault; empty if no block ends there.
  Optional<Snapshot> snapshot() {
    return replay == null || findings.count() > 0 || snapshotsAt.size() != 1
        ? Optional.empty()
        : replay.removalReplay().snapshot(snapshotsAt.iterator().next());
  }

  AuditReport audit(LogSource source)
      throws IOException, AuditLimitException, InterruptedException, StatementException {
    Optional<AuditStatement> known =
        statements == null ? Optional.empty() : statements.read(pinned, options, signatures);
    StartWatch start = StartWatch.begin(source);
    try {
      askForCosigned(source);
      if (known.isPresent()) {
        goOn(source, known.get());
      } else {
        begin(source);
      }
    } catch (FaultException e) {
      findings.note(e.fault());
      notePurges(source);
    } finally {
      if (replay != null) {
        replay.close();
      }
    }
    if (findings.count() > 0) {
      start.check();
    }
    return report();
  }

  /// Where the audit ends before the log: a purge below may be at fault, too.
  private void notePurges(LogSource source)
      throws IOException, AuditLimitException, InterruptedException {
    try {
      if (replay != null) {
        judgePurges(source, replay);
      }
    } catch (FaultException e) {
      findings.note(e.fault());
    }
  }

  private void judgePurges(LogSource source, Replay running)
      throws FaultException, IOException, AuditLimitException, InterruptedException {
    RemovalReplay removals = running.removalReplay();
    if (purgesJudged || prefixSize > 0 || removals.purges().unjudged().isEmpty()) {
      return;
    }
    purgesJudged = true;
    new PurgeJudge(removals, findings).judge(ends -> again().readAgain(source, ends));
  }

  private AuditRun again() {
    AuditOptions shape =
        AuditOptions.defaults()
            .withThreads(options.threads())
            .withMemory(options.memory())
            .withHasher(options.hasher());
    return new AuditRun(
        pinned,
        signatures,
        options.stopAtFirstFault() ? shape : shape.withAllFaults(),
        openSignaturesMax,
        null,
        null);
  }

  /// Without signatures below the last end, and without a head.
  private PurgeJudge.Read readAgain(LogSource source, NavigableSet<Long> ends)
      throws FaultException, IOException, AuditLimitException, InterruptedException {
    snapshotsAt = Set.copyOf(ends);
    prefixSize = ends.last();
    try {
      begin(source);
      return PurgeJudge.Read.of(Objects.requireNonNull(replay).removalReplay(), firstKept, ends);
    } finally {
      if (replay != null) {
        replay.close();
      }
    }
  }

  /// Before the log is read, so that the log is no shorter.
  private void askForCosigned(LogSource source) throws FaultException, IOException {
    if (options.gossip().witnesses().isEmpty()) {
      return;
    }
    try {
      Optional<Bytes> cosigned = source.cosigned();
      if (cosigned.isPresent()) {
        others.add(OtherHead.of("cosigned checkpoint", cosigned.get(), pinned));
      }
    } catch (ProofRejectedException e) {
      throw new FaultException(0, FaultKind.HEAD_INVALID, String.valueOf(e.getMessage()));
    } catch (LogFormatException e) {
      throw new FaultException(0, e.kind(), String.valueOf(e.getMessage()));
    }
  }

  private void begin(LogSource source)
      throws FaultException, IOException, AuditLimitException, InterruptedException {
    try {
      Optional<PurgedStart> purged = source.purged();
      if (purged.isPresent()) {
        beginBehind(source, purged.get());
        return;
      }
    } catch (LogFormatException e) {
      throw new FaultException(0, e.kind(), String.valueOf(e.getMessage()));
    }
    try (LogReader log = prefix(source.open(), 0)) {
      ChunkReader chunks = new ChunkReader(log);
      Chunk first = chunks.next();
      AuditContext context = vouched(genesis(log, first));
      context = prefixSize > 0 ? context.vouchedBelow(prefixSize) : context;
      LogEntry genesis = first.entries().entry(0);
      Replay running = replay(context);
      running.removalReplay().founded(new Event.Shown(genesis.leaf(), genesis.attestation()));
      run(source, log, chunks, first, context, running);
    } catch (LogFormatException e) {
      throw new FaultException(0, e.kind(), String.valueOf(e.getMessage()));
    }
  }

  /// Begins where a purge ended.
  private void beginBehind(LogSource source, PurgedStart purged)
      throws FaultException,
          IOException,
          AuditLimitException,
          InterruptedException,
          LogFormatException {
    Beginning beginning = Beginning.verify(purged, pinned, source.keyChain(), signatures);
    long first = beginning.firstKept();
    firstKept = first;
    try (LogReader log = prefix(source.open(first, 0), first)) {
      checkStrand(log);
      if (prefixSize == 0 && log.size() <= first) {
        throw new FaultException(
            first - 1, FaultKind.LOG_TRUNCATED, "the log ends where a purge ended");
      }
      KeyDirectory keys = new KeyDirectory();
      GenesisParams genesis = beginning.start().genesis();
      genesis.owners().forEach(keys::publish);
      AuditContext context =
          vouched(new AuditContext(pinned, genesis, signatures, keys, options.bodies()));
      context = prefixSize > 0 ? context.vouchedBelow(prefixSize) : context;
      Replay running = replay(context);
      running.begin(beginning, source);
      ClueFile.begin(source, beginning, running.clues());
      ChunkReader chunks = new ChunkReader(log, first, beginning.snapshot().seal());
      run(source, log, chunks, chunks.next(), context, running);
    }
  }

  private LogReader prefix(LogReader log, long first) {
    return prefixSize > 0 ? new PrefixReader(log, first, prefixSize) : log;
  }

  private void checkStrand(LogReader log) throws FaultException {
    if (!log.strand().equals(pinned)) {
      throw new FaultException(
          0, FaultKind.WRONG_LEDGER, "the log is of " + log.strand() + ", pinned is " + pinned);
    }
  }

  private AuditContext genesis(LogReader log, Chunk first) throws FaultException {
    checkStrand(log);
    if (first.entries().count() == 0) {
      AuditFault fault = first.sourceFault();
      throw new FaultException(
          fault != null
              ? fault
              : new AuditFault(0, FaultKind.LOG_TRUNCATED, "the log has no genesis leaf"));
    }
    AuditContext context =
        GenesisCheck.check(pinned, first.entries().entry(0), signatures, options.bodies());
    if (options.submitters().isPresent() && !isTLedger(context.genesis())) {
      throw new FaultException(
          0, FaultKind.GENESIS_INVALID, "a T-Ledger is public and has features 1 and 5");
    }
    return context.withSubmitters(options.submitters().map(Submitters::keys));
  }

  private static boolean isTLedger(GenesisParams genesis) {
    return genesis.isPublic()
        && genesis.features().containsAll(Set.of(Feature.CLUE_TRIE, Feature.PERMANENT));
  }

  private AuditContext vouched(AuditContext context) throws FaultException {
    if (options.anchor().isEmpty()) {
      return context;
    }
    try {
      Anchor.Signed signed = Anchor.decode(options.anchor().get(), pinned);
      anchor = Optional.of(signed);
      return context.vouchedBelow(signed.anchor().size().value());
    } catch (ProofRejectedException e) {
      throw new FaultException(0, FaultKind.ANCHOR_INVALID, String.valueOf(e.getMessage()));
    }
  }

  private HeadComparison anchorCheck() {
    return HeadComparison.ofAnchor(anchor.map(Anchor.Signed::anchor));
  }

  private Replay replay(AuditContext context) {
    HeadComparison comparison = HeadComparison.of(options.trustedHead(), others);
    Replay running =
        new Replay(
            context,
            comparison,
            anchorCheck(),
            new SignatureWindow(openSignaturesMax),
            findings,
            options,
            bounds);
    running.removalReplay().makeSnapshotsAt(snapshotsAt);
    replay = running;
    return running;
  }

  private void goOn(LogSource source, AuditStatement known)
      throws FaultException,
          IOException,
          AuditLimitException,
          InterruptedException,
          StatementException {
    resumedFrom = known.head().size();
    long lowest = snapshotsAt.stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    if (lowest <= resumedFrom || (!snapshotsAt.isEmpty() && known.removals().firstJsn() > 0)) {
      throw new StatementException(
          StatementException.Reason.OTHER_OPTIONS,
          String.format(
              Locale.ROOT,
              "it is of size %d, so it cannot make the snapshot at %d",
              resumedFrom,
              lowest));
    }
    AuditContext context = known.context(signatures);
    Replay running = replay(context);
    running.restore(known);
    try (Resumption at = Resumption.openLeft(source, known)) {
      if (statements == null) {
        throw new AssertionError("a statement was read");
      }
      SealLeaf seal = at.sealLeaf();
      statements.readClues(known, seal.clueRoot(), running.clues());
      statements.readState(known, seal.stateRoot(), running.state());
      statements.readRemovals(known, running.removalReplay());
      at.checkStart(running.removalReplay().purges());
      ChunkReader chunks = new ChunkReader(at.log(), resumedFrom, at.seal());
      run(source, at.log(), chunks, chunks.next(), context, running);
    }
  }

  private void run(
      LogSource source,
      LogReader log,
      ChunkReader chunks,
      Chunk first,
      AuditContext context,
      Replay running)
      throws FaultException, IOException, AuditLimitException, InterruptedException {
    ProgressMeter meter = new ProgressMeter(options.progress(), log.size());
    StatementKeeper keeper =
        new StatementKeeper(context, AuditStatements.checks(options), statements);
    CheckedChunk.Closing closing = null;
    try (CheckPipeline pipeline =
        new CheckPipeline(chunks, first, context.hashedBy(options.hasher()), options.threads())) {
      while (pipeline.hasNext()) {
        CheckedChunk checked = pipeline.next();
        running.add(checked, keeper);
        closing = checked.closing();
        meter.update(running.size());
      }
    }
    if (prefixSize > 0) {
      return;
    }
    judgePurges(source, running);
    finish(running, context, closing);
    joinEarlier(source, running);
    keeper.finished(running);
  }

  /// Heads below what is left of the log: that it continues them, a proof must show.
  private void joinEarlier(LogSource source, Replay running)
      throws FaultException, IOException, AuditLimitException {
    EarlierHeads earlier = new EarlierHeads(source, firstKept, running.size(), running.root());
    if (options.trustedHead().isPresent()) {
      SignedHead head = options.trustedHead().get();
      earlier.join(head.size(), head.root(), FaultKind.TRUSTED_HEAD_CONTRADICTED);
    }
    if (anchor.isPresent()) {
      Anchor known = anchor.get().anchor();
      earlier.join(known.size(), known.root(), FaultKind.ANCHOR_INVALID);
    }
    running.joined();
    earlierHeads = earlier.proofs(others);
  }

  private void finish(Replay running, AuditContext context, CheckedChunk.@Nullable Closing closing)
      throws FaultException, IOException {
    if (closing == null) {
      throw new AssertionError("a log without a fault has an end");
    }
    if (!running.sealed()) {
      throw new FaultException(
          running.size() - 1, FaultKind.UNSEALED_END, "the last leaf is no seal");
    }
    running.checkRemovals();
    HeadComparison.of(options.trustedHead(), List.of()).checkReached(running.size());
    anchorCheck().checkReached(running.size());
    checkAnchorSigner(running);
    signed =
        Optional.of(
            new HeadCheck(context, running.keys(), running.size(), running.root()).check(closing));
    running.checkTail();
    running.removalReplay().checkStart(running.size());
    verified = closing.end();
  }

  /// The service's keys at the end of a log without a fault.
  ServiceKeys keys() {
    if (replay == null) {
      throw new IllegalStateException("the log was not audited");
    }
    return replay.keys();
  }

  /// At the end of the log, where it is known who its members are.
  private void checkAnchorSigner(Replay running) throws FaultException {
    if (options.anchor().isEmpty() || anchor.isEmpty()) {
      return;
    }
    try {
      Anchor.Signed _ =
          Anchor.verify(options.anchor().get(), pinned, running.validMembers(), signatures);
    } catch (ProofRejectedException e) {
      throw new FaultException(
          anchor.get().anchor().size().value() - 1,
          FaultKind.ANCHOR_INVALID,
          String.valueOf(e.getMessage()));
    }
  }

  /// A log that has a signed head ends with a seal.
  private static HeadAge age(Replay done) {
    return new HeadAge(
        Instant.ofEpochMilli(done.timeMs()), Instant.now().truncatedTo(ChronoUnit.MILLIS));
  }

  private AuditReport report() {
    Replay done = replay;
    AuditGossip gossip =
        done == null
            ? AuditGossip.NONE
            : new GossipCheck(pinned, signatures, options.gossip(), findings)
                .judge(others, done, signed.isPresent(), earlierHeads);
    return new AuditReport(
        pinned,
        new TreeSize(done == null ? 0 : done.size()),
        new JournalRoot(done == null ? TreeHasher.EMPTY_ROOT : done.root()),
        done == null ? new RunningCounts().snapshot() : done.counts(),
        findings.sorted(),
        findings.count(),
        !verified.checkpoint().isEmpty(),
        !verified.headReceipt().isEmpty(),
        resumedFrom,
        anchor,
        options.bodies(),
        done == null ? TimeWindows.none(options.time()) : done.time(),
        done == null ? AuditedPeople.NONE : done.people(),
        options.submitters().map(_ -> done == null ? HeldHeads.NONE : done.heads()),
        gossip,
        others,
        signed,
        signed.isEmpty() || done == null ? Optional.empty() : Optional.of(age(done)),
        done == null ? AuditedCertificates.NONE : done.certificates(),
        done == null ? AuditedRemovals.NONE : done.removals(),
        Duration.ofNanos(System.nanoTime() - startNanos));
  }
}
