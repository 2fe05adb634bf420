package io.tallystick.audit.history;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.chunk.CheckedChunk;
import io.tallystick.audit.chunk.Event;
import io.tallystick.audit.chunk.LeafRow;
import io.tallystick.audit.finding.AnchoredTime;
import io.tallystick.audit.finding.AuditCounts;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditedCertificates;
import io.tallystick.audit.finding.AuditedPeople;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.finding.HeldHeads;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.options.EntryBounds;
import io.tallystick.audit.replay.ClueReplay;
import io.tallystick.audit.replay.StateReplay;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.KeyLookup;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Everything that needs the history: walks the checked chunks in order, leaf by leaf. What it
/// finds depends on the log alone, not on which worker was when ready. Not thread-safe.
public final class Replay implements AutoCloseable {
  private final BlockReplay blocks = new BlockReplay();
  private final SignatureWindow used;
  private final SubmissionReplay submissions;
  private final TimeReplay times;
  private final CertificateReplay certificates;
  private final RemovalReplay removals;
  private final HeadComparison comparison;
  private final HeadComparison anchor;
  private final ShownHeads shownHeads = new ShownHeads();
  private final Findings findings;
  private final RunningCounts counts = new RunningCounts();
  private final FeatureReplay features;
  private final ClueReplay clues;
  private final ClueCheck clueCheck;
  private final StateCheck state;
  private final GenesisParams genesis;
  private final HeadReplay heads;
  private final @Nullable EntryBounds bounds;

  /// Leaves of the chunk that is being walked over, up to its last seal.
  private long chunkLeaves;

  /// Told behind every seal.
  @FunctionalInterface
  public interface SealListener {
    void sealed(Replay replay, Event.Sealed seal) throws IOException;
  }

  public Replay(
      AuditContext context,
      HeadComparison comparison,
      HeadComparison anchor,
      SignatureWindow used,
      Findings findings,
      AuditOptions options,
      @Nullable EntryBounds bounds) {
    this.genesis = context.genesis();
    this.comparison = comparison;
    this.anchor = anchor;
    this.used = used;
    this.findings = findings;
    this.features = new FeatureReplay(context.genesis());
    this.times = new TimeReplay(context, options.time(), findings, bounds);
    this.certificates = new CertificateReplay(options.certificates(), findings);
    this.removals = new RemovalReplay(context, options.memory(), findings);
    this.submissions =
        new SubmissionReplay(
            context, features, times, certificates, removals, used, findings, counts);
    this.clues = new ClueReplay(options.memory());
    this.clueCheck = new ClueCheck(features, clues, counts);
    this.state = new StateCheck(context.genesis(), options.memory(), findings, counts);
    this.heads = new HeadReplay(findings);
    this.bounds = bounds;
  }

  /// @throws FaultException with the fault that ends the audit
  public void add(CheckedChunk chunk, SealListener listener)
      throws FaultException, AuditLimitException, IOException {
    LeafRow leaves = chunk.leaves();
    clueCheck.begin(chunk.clues());
    removals.begin(chunk.clues());
    heads.begin(chunk.heads());
    if (bounds != null) {
      bounds.begin(chunk.clues());
    }
    state.begin(chunk.ops());
    Cursor<AuditFault> faults = new Cursor<>(chunk.faults());
    Cursor<Event> events = new Cursor<>(chunk.events());
    for (int i = 0; i < leaves.count(); i++) {
      long jsn = leaves.firstJsn() + i;
      blocks.checkTime(jsn, leaves.timeMs(i));
      note(faults, jsn);
      Event event = due(events, jsn);
      place(jsn, event);
      if (event != null) {
        judge(event, leaves, i);
      }
      heads.leaf(jsn);
      if (bounds != null) {
        bounds.leaf(i, jsn, leaves.hash(i));
      }
      clueCheck.apply(i, jsn, blocks.height());
      state.apply(i, jsn);
      removals.leaf(leaves, i, jsn);
      blocks.append(leaves, i);
      Event.Sealed seal = event instanceof Event.Sealed found ? found : null;
      if (seal != null) {
        blocks.close(leaves.hash(i));
        counts.blocks++;
        times.sealed(blocks);
        removals.sealed(seal.seal(), used);
      }
      compareHeads();
      if (seal != null) {
        chunkLeaves = i + 1L;
        listener.sealed(this, seal);
      }
    }
    chunkLeaves = 0;
    counts.leaves += leaves.count();
    counts.add(chunk.counts());
    if (chunk.fatal() != null) {
      throw new FaultException(chunk.fatal());
    }
  }

  private void compareHeads() throws FaultException {
    comparison.check(blocks);
    anchor.check(blocks);
    shownHeads.check(blocks);
  }

  private void note(Cursor<AuditFault> faults, long jsn) throws FaultException {
    for (AuditFault fault = faults.head(); fault != null; fault = faults.head()) {
      if (fault.jsn() > jsn) {
        return;
      }
      faults.pop();
      findings.add(fault);
    }
  }

  private static @Nullable Event due(Cursor<Event> events, long jsn) {
    Event event = events.head();
    if (event == null || event.lastJsn() != jsn) {
      return null;
    }
    events.pop();
    return event;
  }

  /// The rest of a list, in its order.
  private static final class Cursor<T> {
    private final Iterator<T> rest;
    private @Nullable T head;

    Cursor(List<T> list) {
      this.rest = list.iterator();
      pop();
    }

    @Nullable T head() {
      return head;
    }

    void pop() {
      head = rest.hasNext() ? rest.next() : null;
    }
  }

  private void place(long jsn, @Nullable Event event) throws FaultException {
    boolean seal = event instanceof Event.Sealed;
    submissions.service().checkPlace(jsn, seal);
    if (!seal && jsn > 0) {
      times.journal(jsn);
    }
  }

  private void judge(Event event, LeafRow leaves, int index)
      throws FaultException, AuditLimitException, IOException {
    switch (event) {
      case Event.Sealed(var seal, var _, var _) ->
          blocks.checkSeal(seal, clues.root(), state.endBlock(blocks.height()));
      case Event.Submission submission ->
          submissions.judge(submission, leaves.timeMs(index), leaves.hash(index), blocks);
    }
  }

  /// Goes on behind the seal up to which the log was purged, before anything was added.
  ///
  /// @param source of the state up to there
  public void begin(Beginning beginning, LogSource source)
      throws FaultException, AuditLimitException, IOException, LogFormatException {
    blocks.begin(beginning);
    removals.begin(beginning);
    submissions.begin(beginning, blocks.root());
    removals.begun();
    comparison.checkStart(blocks);
    anchor.checkStart(blocks);
    shownHeads.begin(beginning.start().heads());
    shownHeads.check(blocks);
    state.begin(source, beginning);
  }

  /// To be told once the log is shown to continue the heads that were trusted from below its start.
  public void joined() {
    comparison.joined();
  }

  /// Goes on from a statement, before anything was added.
  public void restore(AuditStatement statement)
      throws AuditLimitException, FaultException, StatementException {
    blocks.restore(statement.head());
    submissions.restore(statement);
    counts.restore(statement.counts());
    features.restore(statement.clueTrieFrom());
    findings.restore(statement.faults(), statement.faultCount());
    removals.restore(statement.removals());
    comparison.checkResumed(statement, blocks);
  }

  /// Where it stands behind the seal it has just told of.
  public AuditStatement statement(
      AuditContext context, AuditStatement.Checks checks, Event.Sealed seal, long madeMs) {
    RunningCounts now = counts.plusBytes(0);
    now.leaves += chunkLeaves;
    now.add(seal.upTo());
    return statement(context, checks, now.snapshot(), seal.source(), false, madeMs);
  }

  /// Where it stands at the end of a log whose head was verified.
  public AuditStatement statement(
      AuditContext context, AuditStatement.Checks checks, long sealAt, long madeMs) {
    return statement(context, checks, counts.snapshot(), sealAt, true, madeMs);
  }

  private AuditStatement statement(
      AuditContext context,
      AuditStatement.Checks checks,
      AuditCounts counts,
      long sealAt,
      boolean signed,
      long madeMs) {
    AuditStatement.Head head = blocks.head(sealAt, signed);
    return new AuditStatement(
        context.strand(),
        checks,
        genesis.encode(),
        head,
        submissions.members().all(),
        counts,
        findings.count(),
        findings.kept(),
        comparison.compared(head.size()),
        features.clueTrieFrom(),
        Optional.empty(),
        madeMs,
        used.open(head.timeMs()),
        new AuditStatement.Trust(
            submissions.members().closedJsn(), submissions.service().rotations(), times.state()),
        removals.state());
  }

  /// The replay of the clues; to be filled where this one goes on from a statement.
  public ClueReplay clues() {
    return clues;
  }

  /// The replay of the state, to be filled likewise; empty in a ledger without one.
  public Optional<StateReplay> state() {
    return state.state();
  }

  /// The replay of the removals; to be filled likewise.
  public RemovalReplay removalReplay() {
    return removals;
  }

  /// Gives up what it holds of clues, state and leaves.
  @Override
  public void close() throws IOException {
    try (state;
        removals) {
      clues.close();
    }
  }

  /// The root at the size of another's head; empty if this run did not come by there.
  public Optional<Digest> rootAt(long size) {
    return comparison.rootAt(size);
  }

  /// By which the log's head is judged.
  public ServiceKeys keys() {
    return submissions.service().keys();
  }

  /// @throws FaultException if a body is gone that no removal names
  public void checkRemovals() throws FaultException {
    removals.checkEnd();
  }

  public AuditedRemovals removals() {
    return removals.report();
  }

  /// @throws FaultException if the end is not anchored as it was asked for
  public void checkTail() throws FaultException {
    times.checkTail(blocks.timeMs());
  }

  public AnchoredTime time() {
    return times.report(blocks.timeMs());
  }

  /// The heads that a T-Ledger holds.
  public HeldHeads heads() {
    return heads.report();
  }

  /// The time of the last leaf, in milliseconds since the epoch.
  public long timeMs() {
    return blocks.timeMs();
  }

  public AuditedPeople people() {
    return PeopleAtEnd.of(submissions.members(), submissions.service(), blocks.timeMs());
  }

  /// The members at the point it has reached.
  public KeyLookup validMembers() {
    return submissions.members().validAt(blocks.timeMs());
  }

  public AuditedCertificates certificates() {
    return certificates.report();
  }

  public boolean sealed() {
    return blocks.sealed();
  }

  public long size() {
    return blocks.size();
  }

  public Digest root() {
    return blocks.root();
  }

  public AuditCounts counts() {
    return counts.snapshot();
  }
}
