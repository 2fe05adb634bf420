package io.tallystick.audit;

import static io.tallystick.audit.StateLogs.FIXTURES;
import static io.tallystick.audit.StateLogs.assertFault;
import static io.tallystick.audit.StateLogs.commit;
import static io.tallystick.audit.StateLogs.delete;
import static io.tallystick.audit.StateLogs.put;
import static io.tallystick.audit.StateLogs.request;
import static io.tallystick.audit.StateLogs.single;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.audit.report.AuditText;
import io.tallystick.journal.Body;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an auditor carries out every operation again, and finds at its jsn each that a service
/// should have refused, did not carry out, or changed. Method: logs made by the definition, and
/// lies in them that an operator with the service's own keys can tell.
class StateAuditTest {
  @TempDir private Path folder;

  @Test
  void passesARightLogWithOperationsAndCountsThem() {
    AuditReport report = StateLogs.audit(StateLogs.sample());
    assertThat(report.faults()).isEmpty();
    assertThat(report.size().value()).isEqualTo(StateLogs.SIZE);
    assertThat(report.counts().operations()).isEqualTo(StateLogs.OPERATIONS);
    assertThat(AuditText.of(report)).contains("9 operations on the state\n");
    assertThat(AuditText.of(Logs.audit(Logs.sample()))).doesNotContain("operation");
  }

  @Test
  void passesALogThroughManyPassesOfTheFold() {
    MemoryLog log = MemoryLog.of(StateLogs.folding(120, 20_261_125));
    AuditReport want = StateLogs.audit(log, Logs.OPTIONS);
    assertThat(want.faults()).isEmpty();
    for (AuditOptions options :
        List.of(
            Logs.OPTIONS.withThreads(8),
            Logs.OPTIONS.withThreads(1).withAllFaults(),
            Logs.OPTIONS.withoutBodies())) {
      AuditReport report = StateLogs.audit(log, options);
      assertThat(report.faults()).isEmpty();
      assertThat(report.counts().operations()).isEqualTo(want.counts().operations());
    }
  }

  @Test
  void catchesOperationsThatAreMissing() {
    MemoryLog log = MemoryLog.of(StateLogs.sample());
    for (int jsn : new int[] {2, 5, 6, 7, 9, 13}) {
      AuditFault fault =
          assertFault(
              log.with(jsn, entry -> MemoryLog.withOps(entry, Bytes.EMPTY)),
              jsn,
              FaultKind.OPERATIONS_MISSING);
      assertThat(fault.detail()).startsWith("no operations are there, the header has ");
    }
  }

  @Test
  void catchesOperationsWithAnyOtherByte() {
    MemoryLog log = MemoryLog.of(StateLogs.sample());
    byte[] right = log.entries().get(2).ops().toArray();
    for (int at = 0; at < right.length; at++) {
      byte[] wrong = right.clone();
      wrong[at] ^= 1;
      assertOther(log, 2, Bytes.wrap(wrong));
    }
    assertOther(log, 2, Bytes.copyOf(right, 0, right.length - 1));
  }

  @Test
  void catchesOperationsWhereOthersOrNoneBelong() {
    MemoryLog log = MemoryLog.of(StateLogs.sample());
    Bytes other = log.entries().get(9).ops();
    for (int jsn : new int[] {0, 1, 2, 3, 4, 6}) {
      assertOther(log, jsn, other);
    }
    MemoryLog without = MemoryLog.of(Logs.sample());
    Logs.assertFault(
        without.with(2, entry -> MemoryLog.withOps(entry, other)),
        2,
        FaultKind.OPERATIONS_MISMATCH);
  }

  private static void assertOther(MemoryLog log, int jsn, Bytes ops) {
    assertFault(
        log.with(jsn, entry -> MemoryLog.withOps(entry, ops)), jsn, FaultKind.OPERATIONS_MISMATCH);
  }

  @Test
  void catchesOperationsInALedgerWithoutAState() {
    SignedRequest request = Logs.FIXTURES.draft(1).withOps(List.of(put("a", "x"))).build();
    ReferenceLedger log = ReferenceLedger.found(Logs.FIXTURES);
    Logs.assertFault(
        log.append(Logs.FIXTURES.submission(request, Fixtures.ALICE)).seal(),
        2,
        FaultKind.FEATURE_NOT_ENABLED);
  }

  @Test
  void catchesAStateThatIsTurnedOnLater() {
    for (Fixtures fixtures : List.of(Logs.FIXTURES, FIXTURES)) {
      Submission later =
          fixtures.govern(
              Kind.PARAMETERS,
              new Extension.Parameters(5, Set.of(Feature.STATE_FOREST)),
              Fixtures.ALICE);
      ReferenceLedger log = ReferenceLedger.found(fixtures).append(later).seal();
      AuditFault fault = auditOf(fixtures, log).firstFault().orElseThrow();
      assertThat(fault.kind()).isEqualTo(FaultKind.PARAMETERS_INVALID);
      assertThat(fault.jsn()).isEqualTo(2);
    }
  }

  private static AuditReport auditOf(Fixtures fixtures, ReferenceLedger log) {
    return fixtures.equals(FIXTURES) ? StateLogs.audit(log) : Logs.audit(log);
  }

  /// Signed by a client that a service should not have listened to.
  @Test
  void catchesAValueThatIsNotWhatItsOperationSays() {
    DraftOp[] ops = {delete("z", StateLogs.NONE), put("a", "right"), put("b", "other")};
    List<Bytes> right = List.of(Bytes.utf8("right"), Bytes.utf8("other"));
    assertThat(StateLogs.audit(told(ops, right)).faults()).isEmpty();
    List<Bytes> swapped = right.reversed();
    AuditFault fault = assertFault(told(ops, swapped), 2, FaultKind.VALUE_MISMATCH);
    assertThat(fault.detail())
        .contains("value 0 has 5 bytes", "operation 1 says 5 and " + commit(1, 1, "right"));
    List<Bytes> longer = List.of(Bytes.utf8("right"), Bytes.utf8("others"));
    assertFault(told(ops, longer), 2, FaultKind.VALUE_MISMATCH);
    assertFault(told(ops, right.subList(0, 1)), 2, FaultKind.BODY_MISMATCH);
    List<Bytes> more = new ArrayList<>(right);
    more.add(Bytes.EMPTY);
    assertFault(told(ops, more), 2, FaultKind.BODY_MISMATCH);
  }

  /// A log whose journal 2 has these operations, and a body with these values.
  private static ReferenceLedger told(DraftOp[] ops, List<Bytes> values) {
    RequestDraft draft = FIXTURES.draft(1);
    Bytes encoded = request(1, ops).ops();
    Bytes body = new Body(draft.payload(), draft.contentType(), List.of(), values).encode();
    Ops committed = decoded(encoded);
    RequestHeader header =
        new RequestHeader(
            FIXTURES.strand(),
            Kind.APPEND,
            1,
            draft.clientTimeMs(),
            draft.expiresMs(),
            Commitments.body(draft.salt(), body),
            body.size(),
            List.of(),
            committed.root(),
            committed.size(),
            Extension.None.INSTANCE);
    SignedRequest request = new SignedRequest(header.encode(), draft.salt(), body, encoded);
    return StateLogs.found().append(FIXTURES.submission(request, Fixtures.ALICE)).seal();
  }

  private static Ops decoded(Bytes ops) {
    try {
      return Ops.decode(ops);
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void catchesEveryPreconditionThatWasIgnored() {
    assertIgnored(put("a", "x", StateLogs.version(2)), "wants the value of journal 2, journal 9");
    assertIgnored(put("a", "x", StateLogs.ABSENT), "wants no value, journal 9 put value ");
    assertIgnored(
        delete("c", StateLogs.version(6)), "wants the value of journal 6, journal 13 deleted it");
    assertIgnored(
        delete("c", StateLogs.version(13)), "wants the value of journal 13, journal 13 deleted it");
    assertIgnored(
        put("c", "x", new Precondition.IfCommit(commit(4, 1, ""))),
        "wants value " + commit(4, 1, "") + ", journal 13 deleted it");
    assertIgnored(
        delete("never", StateLogs.version(0)), "wants the value of journal 0, there is no entry");
  }

  private static void assertIgnored(DraftOp op, String detail) {
    ReferenceLedger log = StateLogs.sample().append(single(30, put("other", ""), op)).seal();
    AuditFault fault = assertFault(log, StateLogs.SIZE, FaultKind.PRECONDITION_IGNORED);
    assertThat(fault.detail())
        .startsWith("operation 1 on key " + Printable.name(op.key()) + " " + detail);
  }

  @Test
  void takesPreconditionsThatHold() {
    ReferenceLedger log =
        StateLogs.sample()
            .append(
                single(
                    30,
                    put("a", "x", new Precondition.IfCommit(commit(6, 0, "three"))),
                    put("c", "y", StateLogs.ABSENT),
                    put("never", "z", StateLogs.ABSENT)))
            .append(
                single(31, delete("a", StateLogs.version(15)), put("c", "", StateLogs.version(15))))
            .append(single(32, put("a", "", StateLogs.ABSENT)))
            .seal();
    assertThat(StateLogs.audit(log).faults()).isEmpty();
  }

  /// The log has the operation, so what follows is judged with it.
  @Test
  void goesOnBehindAnIgnoredPreconditionWhenAllFaultsAreWanted() {
    ReferenceLedger log =
        StateLogs.sample()
            .append(single(30, put("a", "x", StateLogs.ABSENT)))
            .append(single(31, put("a", "y", StateLogs.version(15))))
            .seal()
            .append(single(32, put("b", "z", StateLogs.ABSENT)))
            .seal();
    AuditReport report = StateLogs.audit(MemoryLog.of(log), Logs.OPTIONS.withAllFaults());
    assertThat(report.faults())
        .extracting(AuditFault::jsn, AuditFault::kind)
        .containsExactly(
            tuple(15L, FaultKind.PRECONDITION_IGNORED), tuple(18L, FaultKind.PRECONDITION_IGNORED));
    assertThat(report.size().value()).isEqualTo(log.size());
  }

  @Test
  void catchesAWriteThatWasNotApplied() {
    ReferenceLedger log = StateLogs.sample();
    Digest before = StateLogs.sample().append(FIXTURES.single(40)).nextSeal().stateRoot();
    log.append(single(30, put("a", "x")));
    Digest want = log.nextSeal().stateRoot();
    log.seal(StateLogs.seal(log, before));
    AuditFault fault = assertFault(log, 16, FaultKind.WRONG_STATE_ROOT);
    assertThat(fault.detail())
        .isEqualTo("stateRoot of block 6 is " + before + ", the journals give " + want);
  }

  @Test
  void catchesAnEntryWithAnotherJournalsNumberOrValue() {
    ReferenceLedger log = StateLogs.sample().append(single(30, put("a", "x")));
    ReferenceLedger later =
        StateLogs.sample().append(FIXTURES.single(31)).append(single(30, put("a", "x")));
    log.seal(StateLogs.seal(log, later.nextSeal().stateRoot()));
    assertFault(log, 16, FaultKind.WRONG_STATE_ROOT);
  }

  @Test
  void catchesAStateThatIsLeftOut() {
    ReferenceLedger log = StateLogs.sample().append(single(30, put("a", "x")));
    log.seal(StateLogs.seal(log, SealLeaf.EMPTY_STATE_ROOT));
    assertFault(log, 16, FaultKind.WRONG_STATE_ROOT);
  }

  /// The block that folds a deletion away, as if the value before it were still there.
  @Test
  void catchesAFoldThatHidesADeletion() {
    ReferenceLedger honest = StateLogs.sample().append(single(30, delete("a", StateLogs.NONE)));
    ReferenceLedger lying = StateLogs.sample().append(FIXTURES.single(30));
    honest.seal();
    lying.seal();
    for (int i = 0; i < 60; i++) {
      Submission next = single(200 + i, put("x" + i, ""), put("y" + i, ""));
      if (i < 59) {
        honest.append(next).seal();
      } else {
        honest.append(next);
      }
      lying.append(next).seal();
    }
    Digest hidden = lying.append(FIXTURES.single(300)).nextSeal().stateRoot();
    int jsn = honest.size();
    honest.seal(StateLogs.seal(honest, hidden));
    assertFault(honest, jsn, FaultKind.WRONG_STATE_ROOT);
  }

  @Test
  void endsWithoutAVerdictWhenTheNewestPartDoesNotFit() {
    AuditOptions little = Logs.OPTIONS.withMemory(new ReplayMemory(600, folder));
    assertThatThrownBy(
            () -> Logs.AUDITOR.audit(FIXTURES.strand(), MemoryLog.of(StateLogs.sample()), little))
        .isInstanceOf(AuditLimitException.class)
        .hasMessageMatching(
            "the newest part of the state takes [0-9]+ bytes of memory, .* keeps 600");
  }

  @Test
  void countsOperationsIntoTheSizeOfARequest() {
    DraftOp[] many = new DraftOp[10_000];
    for (int i = 0; i < many.length; i++) {
      many[i] = put(String.format(Locale.ROOT, "%080d", i), "");
    }
    ReferenceLedger log = StateLogs.found().append(single(1, many)).seal();
    assertFault(log, 2, FaultKind.REQUEST_TOO_LARGE);
  }

  @Test
  void judgesOperationsWhoseBodiesAreGone() {
    MemoryLog log =
        MemoryLog.of(StateLogs.sample())
            .with(2, entry -> MemoryLog.bodiless(entry, BodyState.ERASED));
    AuditReport report = StateLogs.audit(log, Logs.OPTIONS.withAllFaults());
    assertThat(report.faults())
        .extracting(AuditFault::kind)
        .containsExactly(FaultKind.BODY_MISSING);
    assertThat(report.counts().operations()).isEqualTo(StateLogs.OPERATIONS);
  }
}
