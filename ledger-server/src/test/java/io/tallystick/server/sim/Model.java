package io.tallystick.server.sim;

import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What is durable and what the rules make of the next inputs: a second sequencer, written from the
/// rules and not from the code, without limits, expiry of its memory or any way to forget.
final class Model {
  /// Where a submission stands.
  record Placed(Sent sent, long firstJsn) {}

  /// What one frame would add.
  static final class Draft {
    final Map<SimLedger, List<Sent>> blocks = new LinkedHashMap<>();
    final List<SimLedger> founded = new ArrayList<>();
    final Map<SimLedger, Map<Digest, SimLedger.KnownMember>> members = new HashMap<>();
    final Map<SimLedger, Long> closed = new HashMap<>();
    final Map<SimLedger, RemovedJournals> removed = new HashMap<>();
    final Map<SimLedger, SimLedger.KnownTime> times = new HashMap<>();
    final Map<SimLedger, ServiceKeys> serviceKeys = new HashMap<>();
    final Map<SimLedger, Long> cluesFrom = new HashMap<>();
    final Map<SimLedger, Map<Bytes, StateEntry>> states = new HashMap<>();
    final Map<Digest, Placed> placed = new HashMap<>();
    final Map<SimLedger, Long> nextJsn = new HashMap<>();

    /// Null if no note changes any.
    @Nullable NavigableMap<Bytes, KeptNotes.Row> notes;

    /// Whether the eraser may have noted something, which shows when the frame is durable.
    boolean mayNoteErasure;

    /// Anchors that gave way to others.
    int gaveWay;

    long timeMs;

    boolean isEmpty() {
      return !hasBlocks() && notes == null;
    }

    boolean hasBlocks() {
      return !blocks.isEmpty() || !founded.isEmpty();
    }
  }

  private final Map<Digest, Placed> placed = new HashMap<>();
  private final List<SimLedger> ledgers = new ArrayList<>();

  final KeptNotes notes = new KeptNotes();

  /// How often the shard has opened.
  int openings;

  /// The service's time: never steps back. The clock's readings count once a request agrees with
  /// them (docs/decisions/0015).
  long timeMs;

  /// Of the newest durable frame: what a restart may fall back to.
  long durableTimeMs;

  /// Durable frames, closing ones counted.
  long frames;

  /// Ledgers that are durable.
  List<SimLedger> ledgers() {
    return ledgers;
  }

  /// Where the submission with exactly these ids stands; null if it is not there.
  @Nullable Placed placed(Sent sent) {
    return placed.get(sent.ids.getFirst());
  }

  Draft draft(long nowMs) {
    Draft draft = new Draft();
    draft.timeMs = Math.max(timeMs, nowMs);
    return draft;
  }

  /// Decides an input behind what `draft` holds, and adds it.
  Verdict decide(Arrival arrival, Draft draft) {
    if (arrival.isRefusedForSpace() && !arrival.makesRoom()) {
      return new Verdict.Refused(RejectionCode.STORAGE_FULL);
    }
    try {
      if (arrival.note != null) {
        return note(arrival, arrival.note, draft);
      }
      return arrival.sent != null
          ? append(arrival, arrival.sent, draft)
          : found(Objects.requireNonNull(arrival.founding), draft);
    } catch (Refusal refusal) {
      return new Verdict.Refused(refusal.code);
    }
  }

  private Verdict note(Arrival arrival, NoteAsk ask, Draft draft) throws Refusal {
    if (arrival.isUnreadNote() || arrival.opening != openings) {
      throw new Refusal(RejectionCode.UNAVAILABLE);
    }
    Violation.unless(draft.serviceKeys.isEmpty(), "a note behind a rotation in its frame");
    NavigableMap<Bytes, KeptNotes.Row> rows =
        new TreeMap<>(draft.notes == null ? notes.newest() : draft.notes);
    NoteRules.Decided decided =
        new NoteRules(rows, members(ask.ledger(), draft), draft.timeMs).decide(ask);
    draft.gaveWay += decided.gaveWay() ? 1 : 0;
    if (decided.changes()) {
      draft.notes = rows;
    }
    return new Verdict.Noted(decided.answer());
  }

  private Verdict found(SimLedger ledger, Draft draft) throws Refusal {
    if (ledger.founded() || draft.founded.contains(ledger)) {
      return new Verdict.Founded(true);
    }
    long off = ledger.params.createdMs() - draft.timeMs;
    if (Math.abs(off) > Limits.CLOCK_SKEW_MS_MAX) {
      throw new Refusal(off < 0 ? RejectionCode.EXPIRED : RejectionCode.TOO_EARLY);
    }
    timeMs = draft.timeMs;
    draft.founded.add(ledger);
    draft.members.put(ledger, ledger.foundingMembers());
    return new Verdict.Founded(false);
  }

  private Verdict append(Arrival arrival, Sent sent, Draft draft) throws Refusal {
    SimLedger ledger = sent.ledger;
    // A ledger takes appends from the frame behind its founding on.
    if (!ledger.founded() || sent.verified.strand().strand() != 0) {
      throw new Refusal(RejectionCode.UNKNOWN_LEDGER);
    }
    for (RequestHeader header : sent.verified.headers()) {
      checkTimes(header, ledger, draft.timeMs);
    }
    timeMs = draft.timeMs;
    Placed original = original(sent, draft);
    if (original != null) {
      sent.attestation = original.sent.attestation; // it may be another object of the same bytes
      return new Verdict.Repeated(original.firstJsn);
    }
    long jsn = draft.nextJsn.getOrDefault(ledger, (long) ledger.history.size());
    RequestHeader header = sent.verified.headers().getFirst();
    MemberRules rules = new MemberRules(ledger, members(ledger, draft), jsn, draft.timeMs);
    boolean closed = draft.closed.containsKey(ledger) || ledger.closedJsn != SimLedger.NEVER;
    if (closed && !isTakenAfterClose(header.kind())) {
      throw new Refusal(RejectionCode.LEDGER_CLOSED);
    }
    rules.checkSigners(sent.verified.signerKids(), header);
    checkClues(sent, draft);
    if (arrival.isUnreadRemoval()) {
      return unread(arrival);
    }
    checkRemoval(arrival, sent, draft);
    if (arrival.mayBePutBack()) {
      Violation.unless(
          arrival.readHeight == -1 || arrival.readHeight < ledger.forgottenHeight,
          "put back, though block %s was read and all since %s are remembered",
          arrival.readHeight,
          ledger.forgottenHeight);
      return new Verdict.PutBack();
    }
    applyOps(sent, draft, jsn);
    draft.members.put(ledger, rules.after(header.extension()));
    remove(ledger, header.extension(), draft, jsn);
    if (header.extension() instanceof Extension.Time time) {
      applyTime(ledger, header, time, draft, jsn);
    }
    if (header.extension() instanceof Extension.KeyRotation rotation) {
      Violation.unless(draft.isEmpty(), "a rotation shares its block or frame");
      sent.attestation = ledger.pairs.attest(sent, rotation, ledger.serviceKeys);
      draft.serviceKeys.put(ledger, ledger.rotated(rotation, jsn));
    } else {
      Violation.unless(draft.serviceKeys.isEmpty(), "a journal behind a rotation in its frame");
    }
    if (header.kind() == Kind.CLOSE) {
      draft.closed.put(ledger, jsn);
    }
    sent.delegated = rules.anyDelegated(sent.verified.signerKids());
    draft.blocks.computeIfAbsent(ledger, _ -> new ArrayList<>()).add(sent);
    draft.nextJsn.put(ledger, jsn + sent.count());
    for (Digest id : sent.ids) {
      draft.placed.put(id, new Placed(sent, jsn));
    }
    return new Verdict.Accepted(jsn, draft.timeMs, sent.delegated);
  }

  private static boolean isTakenAfterClose(Kind kind) {
    return kind == Kind.TIME || kind == Kind.KEY_ROTATION || RemovalRules.isRemoval(kind);
  }

  /// It is read for and put back, unless what it names was refused then.
  private static Verdict unread(Arrival arrival) {
    return arrival.failure instanceof RequestRejectedException refusal
        ? new Verdict.Refused(refusal.code())
        : new Verdict.PutBack();
  }

  private void checkRemoval(Arrival arrival, Sent sent, Draft draft) throws Refusal {
    SimLedger ledger = sent.ledger;
    new RemovalRules(
            ledger,
            draft.removed.getOrDefault(ledger, ledger.removed),
            members(ledger, draft),
            draft.times.getOrDefault(ledger, ledger.newestTime),
            draft.notes == null ? notes.newest() : draft.notes,
            draft.timeMs)
        .check(arrival, sent.verified.signerKids(), sent.verified.headers().getFirst().extension());
  }

  private static void remove(SimLedger ledger, Extension extension, Draft draft, long jsn) {
    RemovedJournals before = draft.removed.getOrDefault(ledger, ledger.removed);
    SortedSet<Long> journals = RemovalRules.journals(ledger, extension);
    draft.removed.put(ledger, before.after(extension, journals, jsn, draft.timeMs));
  }

  private static Map<Digest, SimLedger.KnownMember> members(SimLedger ledger, Draft draft) {
    Map<Digest, SimLedger.KnownMember> drafted = draft.members.get(ledger);
    return drafted == null ? ledger.members : drafted;
  }

  private static void checkTimes(RequestHeader header, SimLedger ledger, long nowMs)
      throws Refusal {
    long limit =
        header.kind().governance() ? Limits.GOVERNANCE_WINDOW_MS_MAX : ledger.params.maxWindowMs();
    if (header.expiresMs() - header.clientTimeMs() > limit) {
      throw new Refusal(RejectionCode.WINDOW_TOO_LONG);
    }
    if (header.clientTimeMs() > nowMs + Limits.CLOCK_SKEW_MS_MAX) {
      throw new Refusal(RejectionCode.TOO_EARLY);
    }
    if (header.expiresMs() < nowMs) {
      throw new Refusal(RejectionCode.EXPIRED);
    }
  }

  private @Nullable Placed original(Sent sent, Draft draft) throws Refusal {
    Placed first = null;
    int seen = 0;
    for (Digest id : sent.ids) {
      Placed found = draft.placed.getOrDefault(id, placed.get(id));
      if (found != null) {
        first = found;
        seen++;
      }
    }
    if (first == null) {
      return null;
    }
    if (seen != sent.ids.size() || !first.sent.ids.equals(sent.ids)) {
      throw new Refusal(RejectionCode.REPLAYED);
    }
    return first;
  }

  /// It names a head below itself and above the time journal before, and that one.
  private static void applyTime(
      SimLedger ledger, RequestHeader header, Extension.Time time, Draft draft, long jsn)
      throws Refusal {
    if (draft.timeMs < header.clientTimeMs()) {
      throw new Refusal(RejectionCode.TOO_EARLY);
    }
    SimLedger.KnownTime before = draft.times.getOrDefault(ledger, ledger.newestTime);
    long size = time.size().value();
    if (size > jsn || (before != null && size <= before.jsn())) {
      throw new Refusal(RejectionCode.OUT_OF_RANGE);
    }
    boolean chained =
        before == null
            ? time.previous().isEmpty()
            : time.previous().isPresent() && time.previous().get().jsn().value() == before.jsn();
    if (!chained) {
      throw new Refusal(RejectionCode.PRECONDITION_FAILED);
    }
    draft.times.put(ledger, new SimLedger.KnownTime(jsn, size));
    remove(ledger, time, draft, jsn);
  }

  private static void checkClues(Sent sent, Draft draft) throws Refusal {
    SimLedger ledger = sent.ledger;
    long height = ledger.history.nextHeight();
    long from = draft.cluesFrom.getOrDefault(ledger, ledger.cluesFrom);
    boolean named = sent.verified.headers().stream().anyMatch(one -> !one.clueIds().isEmpty());
    if (named && height < from) {
      throw new Refusal(RejectionCode.FEATURE_NOT_ENABLED);
    }
    if (sent.verified.headers().getFirst().extension() instanceof Extension.Parameters on) {
      if (on.firstHeight() <= height || from != SimLedger.NEVER) {
        throw new Refusal(RejectionCode.PARAMETERS_INVALID);
      }
      draft.cluesFrom.put(ledger, on.firstHeight());
    }
  }

  /// A deleted key is to a precondition as one that was never written.
  private static void applyOps(Sent sent, Draft draft, long firstJsn) throws Refusal {
    SimLedger ledger = sent.ledger;
    Map<Bytes, StateEntry> before = draft.states.get(ledger);
    Map<Bytes, StateEntry> state = new HashMap<>();
    if (before == null) {
      ledger.history.state().newest().forEach((key, held) -> state.put(key, held.entry()));
    } else {
      state.putAll(before);
    }
    List<Ops> operations = sent.operations();
    for (int i = 0; i < operations.size(); i++) {
      for (Op op : operations.get(i).values()) {
        if (!ledger.hasState()) {
          throw new Refusal(RejectionCode.FEATURE_NOT_ENABLED);
        }
        Optional<StateEntry> value =
            Optional.ofNullable(state.get(op.key())).filter(StateEntry::isPresent);
        boolean holds =
            switch (op.precondition()) {
              case Precondition.None() -> true;
              case Precondition.IfAbsent() -> value.isEmpty();
              case Precondition.IfVersion(Jsn jsn) ->
                  value.filter(entry -> entry.jsn().equals(jsn)).isPresent();
              case Precondition.IfCommit(Digest commit) ->
                  value
                      .filter(entry -> entry.valueCommit().equals(Optional.of(commit)))
                      .isPresent();
            };
        if (!holds) {
          throw new Refusal(RejectionCode.PRECONDITION_FAILED);
        }
        Jsn jsn = new Jsn(firstJsn + i);
        state.put(
            op.key(),
            op instanceof Op.Put put
                ? StateEntry.put(put.key(), put.valueCommit(), put.valueSizeBytes(), jsn)
                : StateEntry.tombstone(op.key(), jsn));
      }
    }
    draft.states.put(ledger, state);
  }

  /// The shard has opened, and remembers no operations.
  void opened() {
    openings++;
    ledgers.forEach(ledger -> ledger.forgottenHeight = ledger.history.nextHeight() - 1);
  }

  /// The frame of `draft` is durable.
  void keep(Draft draft) {
    for (SimLedger ledger : draft.founded) {
      ledger.history.add(ledger.genesisLeaf(draft.timeMs), null, 0, draft.timeMs);
      ledger.history.seal(frames, draft.timeMs);
      ledgers.add(ledger);
    }
    draft.blocks.forEach((ledger, sents) -> {
      for (Sent sent : sents) {
        for (int i = 0; i < sent.count(); i++) {
          long jsn = ledger.history.size();
          ledger.history.add(
              sent.leaf(i, jsn, draft.timeMs, sent.delegated), sent, i, draft.timeMs);
        }
      }
      ledger.history.seal(frames, draft.timeMs);
    });
    draft.members.forEach((ledger, members) -> ledger.members = members);
    draft.times.forEach((ledger, time) -> ledger.newestTime = time);
    draft.removed.forEach((ledger, removed) -> ledger.removed = removed);
    draft.serviceKeys.forEach((ledger, keys) -> ledger.serviceKeys = keys);
    draft.closed.forEach((ledger, jsn) -> ledger.closedJsn = jsn);
    draft.cluesFrom.forEach((ledger, height) -> ledger.cluesFrom = height);
    placed.putAll(draft.placed);
    // That of a frame without blocks is the one that the requests before agreed with.
    durableTimeMs = Math.max(durableTimeMs, draft.hasBlocks() ? draft.timeMs : durableTimeMs);
    frames++;
    if (draft.notes != null) {
      notes.put(frames, draft.notes);
    }
  }
}
