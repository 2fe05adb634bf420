package io.tallystick.server.sequencer;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestTimes;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.Founding;
import io.tallystick.node.Member;
import io.tallystick.server.frame.BlockDraft;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.note.NoteDecision;
import io.tallystick.server.note.NoteDraft;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.world.FeatureTable;
import io.tallystick.server.world.Governance;
import io.tallystick.server.world.JsnSet;
import io.tallystick.server.world.LedgerGenesis;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.PurgeTerms;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/// Decides, one input after the other: replay, keys and roles at this jsn, time; assigns jsns. A
/// state machine without clock of its own, and without disk but for the rows of notes: the same
/// inputs at the same times give the same steps. One owner thread; {@link #head} may be asked from
/// any. Source: `docs/architecture.md`, "Commit"; `docs/formats/signature.md`, "Replay".
public final class Sequencer {
  /// Some 50 MB of keys of 32 bytes.
  private static final int OVERLAY_KEYS_MAX = 1 << 17;

  private final ReplayTable replays;
  private final NoteRows notes;
  private final StateOverlay overlay;
  private final RotationSigner rotations;
  private final GrantCheck grants;

  // Written so that the compiler keeps the loads that it sums.
  private long unusedLoads;

  private final Map<LedgerId, StrandHead> heads = new ConcurrentHashMap<>();
  private final NavigableSet<LedgerId> ids = new ConcurrentSkipListSet<>();

  /// Written by the thread that sequences, read by all that judge by it.
  private volatile long timeMs;

  public Sequencer(
      ReplayTable replays,
      NoteRows notes,
      long timeMs,
      RotationSigner rotations,
      GrantCheck grants) {
    this(replays, notes, timeMs, rotations, grants, OVERLAY_KEYS_MAX);
  }

  /// @param overlayKeysMax operations of newest blocks that it remembers
  Sequencer(
      ReplayTable replays,
      NoteRows notes,
      long timeMs,
      RotationSigner rotations,
      GrantCheck grants,
      int overlayKeysMax) {
    this.replays = replays;
    this.notes = notes;
    this.timeMs = timeMs;
    this.rotations = rotations;
    this.grants = grants;
    this.overlay = new StateOverlay(overlayKeysMax);
  }

  /// Where a ledger stands as of the newest committed frame; null if it is not here.
  public @Nullable StrandHead head(LedgerId ledger) {
    return heads.get(ledger);
  }

  /// Ids of the ledgers here that are greater than `after` (null: all), ascending; a live view.
  public SortedSet<LedgerId> ledgers(@Nullable LedgerId after) {
    return after == null ? ids : ids.tailSet(after, false);
  }

  /// Restores a ledger from a savepoint.
  public void restore(StrandHead head) {
    heads.put(head.ledger().id(), head);
    ids.add(head.ledger().id());
  }

  /// The newest time that a request agreed with. No journal is dated before it.
  public long timeMs() {
    return timeMs;
  }

  public ReplayTable replays() {
    return replays;
  }

  /// Decides all of `inputs` in order. The answers wait in the step, which the caller writes and
  /// then keeps or {@link #undo undoes}.
  ///
  /// A reading of the clock has no effect on journals until a signed request agrees with it: what
  /// steps forward and back between two requests leaves no trace (docs/decisions/0015). Notes are
  /// decided by it.
  public <A> Step<A> step(List<? extends Input<A>> inputs, long clockMs) {
    replays.sweep(timeMs);
    touchReplays(inputs);
    overlay.trim((strand, height) -> headOf(strand).forgetUpTo(height));
    Step<A> step = new Step<>(Math.max(timeMs, clockMs), new NoteDraft(notes));
    for (Input<A> input : inputs) {
      try {
        switch (input) {
          case Input.Append<A> append -> appendOrReadAgain(step, append, clockMs);
          case Input.Found<A> found -> found(step, found);
          case Input.Noting<A> noting -> note(step, noting);
        }
      } catch (RequestRejectedException refusal) {
        step.refused().add(new Step.Refused<>(input, refusal));
      }
    }
    heads.putAll(step.newHeads());
    ids.addAll(step.newHeads().keySet());
    for (BlockDraft block : step.blocks()) {
      headOf(block.strand()).advance(block.sealJsn());
    }
    return step;
  }

  private <A> void note(Step<A> step, Input.Noting<A> input) throws RequestRejectedException {
    int before = step.notes().size();
    try {
      input.decide(step.notes(), new NotingMoment(step.timeMs()));
      step.notes().check(before);
    } catch (RequestRejectedException e) {
      step.notes().cutTo(before);
      throw e;
    } catch (IOException | MalformedException | RuntimeException e) {
      // A fault of one decision is not one of the shard, nor of what else is in the frame.
      step.notes().cutTo(before);
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "notes cannot be decided: " + e, e);
    }
    step.noted().add(input);
  }

  private final class NotingMoment implements NoteDecision.Moment {
    private final long frameTimeMs;

    NotingMoment(long frameTimeMs) {
      this.frameTimeMs = frameTimeMs;
    }

    @Override
    public long timeMs() {
      return frameTimeMs;
    }

    @Override
    public Optional<Member> member(LedgerId ledger, Digest kid) {
      StrandHead head = heads.get(ledger);
      return head == null ? Optional.empty() : head.members().find(kid);
    }

    @Override
    public Optional<Purge> purge(LedgerId ledger, long jsn) {
      StrandHead head = heads.get(ledger);
      return head == null ? Optional.empty() : head.governance().removals().purgeAt(jsn);
    }
  }

  /// Loads the table's slots for all inputs in one go: they lie anywhere in 100 MB, and memory
  /// answers many independent loads in the time of one.
  private void touchReplays(List<? extends Input<?>> inputs) {
    for (Input<?> input : inputs) {
      if (input instanceof Input.Append<?> append) {
        for (AttestationVerifier.Signer signer : append.submission().signers()) {
          unusedLoads += replays.touch(signer.signatureId().firstWord());
        }
      }
    }
  }

  /// Takes back a step whose frame was not kept: nothing of it ever happened, but for the time that
  /// its requests agreed with: signatures may have been forgotten as expired by it.
  public void undo(Step<?> step) {
    for (BlockDraft block : step.blocks()) {
      StrandHead head = headOf(block.strand());
      head.retreat(block.firstJsn());
    }
    ids.removeAll(step.newHeads().keySet());
    step.newHeads().keySet().forEach(heads::remove);
    step.undo();
  }

  private StrandHead headOf(StrandId strand) {
    StrandHead head = heads.get(strand.ledger());
    if (head == null) {
      throw new AssertionError("no head for strand " + strand);
    }
    return head;
  }

  private <A> void appendOrReadAgain(Step<A> step, Input.Append<A> input, long clockMs)
      throws RequestRejectedException {
    try {
      append(step, input, clockMs);
    } catch (StaleReadingException _) {
      step.stale().add(input.self());
    }
  }

  private <A> void append(Step<A> step, Input.Append<A> input, long clockMs)
      throws RequestRejectedException, StaleReadingException {
    VerifiedSubmission submission = input.submission();
    StrandId strand = submission.strand();
    StrandHead head = heads.get(strand.ledger());
    if (head == null || strand.strand() != 0) {
      throw new RequestRejectedException(
          RejectionCode.UNKNOWN_LEDGER, "no strand " + strand + " on this service");
    }
    checkTimes(submission, step.timeMs(), clockMs, head.ledger().params());
    timeMs = step.timeMs();
    long original = originalOf(submission.signatureIds());
    if (original >= 0) {
      step.repeated().add(new Step.Repeated<>(input.self(), strand, original));
      return;
    }
    int ids = submission.signatureIds().size();
    if (!replays.hasRoom(ids)) {
      replays.sweep(timeMs);
    }
    if (!replays.hasRoom(ids)) {
      throw new RequestRejectedException(
          RejectionCode.RATE_LIMITED,
          "replay table is full; retry when older requests have expired");
    }
    BlockDraft block = step.drafts().get(strand);
    long jsn = block == null ? head.nextJsn() : block.sealJsn();
    boolean delegated = head.members().anyDelegated(submission.signerKids());
    Bytes attestation =
        admit(step, head, input, jsn, block == null ? head.nextHeight() : block.height());
    if (input.standsAlone() && block != null) {
      throw new AssertionError("a key rotation behind journals of its block, at " + jsn);
    }
    if (block == null) {
      block = new BlockDraft(strand, head.nextJsn(), head.nextHeight(), false);
      step.drafts().put(strand, block);
    }
    block.add(draft(submission, attestation, delegated));
    step.accepted().add(new Step.Accepted<>(input.self(), strand, jsn, delegated));
  }

  /// Checks membership and rules at `jsn`, then records the submission's effects.
  ///
  /// @return the attestation that its leaves commit to
  private Bytes admit(Step<?> step, StrandHead head, Input.Append<?> input, long jsn, long height)
      throws RequestRejectedException, StaleReadingException {
    VerifiedSubmission submission = input.submission();
    List<RequestHeader> headers = submission.headers();
    StrandId strand = submission.strand();
    Governance before = head.governance();
    before.authorize(submission.signerKids(), headers.getFirst(), jsn, step.timeMs());
    Prepared prepared = input.prepared();
    grants.check(headers.getFirst(), shown(prepared), step.timeMs());
    checkFeatures(before.features(), headers, height);
    if (headers.getFirst().extension() instanceof Extension.Removal removal) {
      checkRemoval(before, input.submission().signerKids(), prepared, removal, step.timeMs());
      RecallCheck.check(step.notes(), strand.ledger(), removal);
    }
    Map<Bytes, Standing> written =
        new OperationJudge(overlay, head, strand, prepared).judge(input.operations(), jsn);
    Bytes attestation = submission.attestationBytes();
    if (headers.size() == 1) {
      Governance after =
          before.after(headers.getFirst(), named(prepared), jsn, step.timeMs(), height);
      if (headers.getFirst().extension() instanceof Extension.KeyRotation rotation) {
        attestation = rotations.attest(submission, rotation, before.members().service().keys());
      }
      if (!after.equals(before)) {
        head.govern(after);
        step.onUndo(() -> head.govern(before));
      }
    }
    if (!written.isEmpty()) {
      step.onUndo(overlay.add(strand, height, written));
    }
    long expires = submission.latestExpiryMs();
    int signers = submission.signatureIds().size();
    for (Digest id : submission.signatureIds()) {
      replays.put(id.firstWord(), id.secondWord(), jsn, signers, expires);
      step.onUndo(() -> replays.remove(id.firstWord(), id.secondWord()));
    }
    return attestation;
  }

  private static Optional<CertificateChain> shown(Prepared prepared) {
    return prepared instanceof Prepared.Shown(CertificateChain chain)
        ? Optional.of(chain)
        : Optional.empty();
  }

  /// Null if it was not read.
  private static @Nullable JsnSet named(Prepared prepared) {
    return prepared instanceof Prepared.Named(JsnSet targets) ? targets : null;
  }

  private static void checkRemoval(
      Governance before,
      List<Digest> signers,
      Prepared prepared,
      Extension.Removal removal,
      long timeMs)
      throws RequestRejectedException, StaleReadingException {
    switch (removal) {
      case Extension.Occult _ -> {
        JsnSet targets = named(prepared);
        if (targets == null) {
          throw new StaleReadingException();
        }
        before.checkOccult(targets, signers, timeMs);
      }
      case Extension.Purge purge -> {
        if (!(prepared instanceof Prepared.Terms(PurgeTerms terms))) {
          throw new StaleReadingException();
        }
        before.checkPurge(purge, terms, signers, timeMs);
      }
      case Extension.Recall recall -> before.checkRecall(recall, timeMs);
    }
  }

  private static void checkFeatures(FeatureTable features, List<RequestHeader> headers, long height)
      throws RequestRejectedException {
    if (features.isOn(Feature.CLUE_TRIE, height) && features.isOn(Feature.STATE_FOREST, height)) {
      return;
    }
    for (int i = 0; i < headers.size(); i++) {
      try {
        if (!headers.get(i).clueIds().isEmpty()) {
          features.checkOn(Feature.CLUE_TRIE, height);
        }
        if (headers.get(i).opsCount() > 0) {
          features.checkOn(Feature.STATE_FOREST, height);
        }
      } catch (RequestRejectedException refusal) {
        throw headers.size() == 1 ? refusal : refusal.atIndex(i);
      }
    }
  }

  private static void checkTimes(
      VerifiedSubmission submission, long nowMs, long clockMs, GenesisParams params)
      throws RequestRejectedException {
    List<RequestHeader> headers = submission.headers();
    for (int i = 0; i < headers.size(); i++) {
      try {
        RequestTimes.check(headers.get(i), nowMs, clockMs, params.maxWindowMs());
      } catch (RequestRejectedException refusal) {
        throw headers.size() == 1 ? refusal : refusal.atIndex(i);
      }
    }
  }

  /// The first jsn of the submission with exactly these ids, or −1 when none was seen.
  ///
  /// @throws RequestRejectedException `REPLAYED` on any other overlap
  private long originalOf(List<Digest> ids) throws RequestRejectedException {
    int seen = 0;
    long original = -1;
    boolean same = true;
    for (Digest id : ids) {
      int slot = replays.find(id.firstWord(), id.secondWord(), timeMs);
      if (slot != ReplayTable.NOT_FOUND) {
        same &= seen == 0 || original == replays.firstJsn(slot);
        same &= replays.signers(slot) == ids.size();
        original = replays.firstJsn(slot);
        seen++;
      }
    }
    if (seen != 0 && (seen != ids.size() || !same)) {
      throw new RequestRejectedException(
              RejectionCode.REPLAYED,
              String.format(
                  Locale.ROOT,
                  "%d of %d signatures were seen before, in another set, at jsn %d",
                  seen,
                  ids.size(),
                  original))
          .atJsn(original);
    }
    return original;
  }

  private static BlockDraft.Submission draft(
      VerifiedSubmission submission, Bytes attestation, boolean delegated) {
    return new BlockDraft.Submission(
        submission.requests(),
        attestation,
        submission.signatureIds(),
        submission.latestExpiryMs(),
        submission.headers().getFirst().kind().governance(),
        delegated);
  }

  private <A> void found(Step<A> step, Input.Found<A> input) throws RequestRejectedException {
    Founding founding = input.founding();
    LedgerId id = founding.params().ledgerId();
    if (step.newHeads().containsKey(id) || heads.containsKey(id)) {
      step.founded().add(new Step.Founded<>(input, id, true));
      return;
    }
    founding.checkCreated(step.timeMs());
    timeMs = step.timeMs();
    BlockDraft block = new BlockDraft(new StrandId(id, 0), 0, 0, true);
    block.add(
        new BlockDraft.Submission(
            List.of(founding.asRow()), founding.attestation(), List.of(), timeMs, false, false));
    step.drafts().put(block.strand(), block);
    step.newHeads().put(id, StrandHead.founded(LedgerGenesis.of(founding)));
    step.founded().add(new Step.Founded<>(input, id, false));
  }

  /// Takes over what a durable frame says, deciding nothing again. Ledgers it founds were restored
  /// before.
  ///
  /// @throws MalformedException if the frame does not follow the present state
  public void replay(CommitFrame frame) throws MalformedException {
    timeMs = Math.max(timeMs, frame.timeMs());
    replays.sweep(timeMs); // whoever only follows never steps
    for (BlockInfo block : frame.blocks()) {
      StrandHead head = heads.get(block.strand().ledger());
      if (head == null || block.strand().strand() != 0) {
        throw new MalformedException("a block of " + block.strand() + ", which was never founded");
      }
      if (block.firstJsn() != head.nextJsn() || block.height() != head.nextHeight()) {
        throw new MalformedException(
            String.format(
                Locale.ROOT,
                "block %d of %s starts at %d, want block %d at %d",
                block.height(),
                block.strand(),
                block.firstJsn(),
                head.nextHeight(),
                head.nextJsn()));
      }
      replaySubmissions(block);
      head.forgetUpTo(block.height());
      head.advance(block.sealJsn());
    }
  }

  private void replaySubmissions(BlockInfo block) {
    for (int i = 0; i < block.submissions(); i++) {
      long jsn = block.firstJsn() + block.firstJournal(i);
      int ids = block.signatureIds(i);
      for (int k = 0; k < ids; k++) {
        replays.put(
            block.signatureId(i, k, true),
            block.signatureId(i, k, false),
            jsn,
            ids,
            block.latestExpiresMs(i));
      }
    }
  }

  /// Sets what a ledger's governance journals made of it, as replayed by the indexer.
  public void govern(LedgerId ledger, Governance governance) {
    headOf(new StrandId(ledger, 0)).govern(governance);
  }
}
