package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.source.LogSource;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// Logs with operations on the state, in a ledger with clues too, and how the tests audit them.
///
/// | jsn | height | what |
/// | --- | --- | --- |
/// | 0, 1 | 0 | genesis, seal |
/// | 2, 3, 4 | 1 | put a, put b if absent; without operations; seal |
/// | 5 to 7, 8 | 2 | a batch: put a if 2; delete b if its value, put c; delete a if 5; seal |
/// | 9, 10 | 3 | put a if absent, with a clue; seal |
/// | 11, 12 | 4 | without operations, seal |
/// | 13, 14 | 5 | put b if absent, delete c; seal |
public final class StateLogs {
  static final Precondition NONE = new Precondition.None();
  static final Precondition ABSENT = new Precondition.IfAbsent();

  /// Small enough that the fold comes round.
  static final StateParams PARAMS = new StateParams(6, 1, 4, 4, 1);

  public static final Fixtures FIXTURES =
      Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE)).withState(PARAMS);
  public static final int SIZE = 15;
  static final List<Integer> SEALS = List.of(1, 4, 8, 10, 12, 14);
  public static final int OPERATIONS = 2 + 4 + 1 + 2;

  private static final ReferenceLedger SAMPLE = build();

  private StateLogs() {}

  public static ReferenceLedger sample() {
    return SAMPLE.copy();
  }

  static ReferenceLedger found() {
    return ReferenceLedger.found(FIXTURES);
  }

  private static ReferenceLedger build() {
    List<SignedRequest> batch =
        List.of(
            request(3, put("a", "two", version(2))),
            request(4, delete("b", new Precondition.IfCommit(commit(1, 1, "B"))), put("c", "")),
            request(5, delete("a", version(5))));
    return found()
        .append(single(1, put("a", "one"), put("b", "B", ABSENT)))
        .append(FIXTURES.single(2))
        .seal()
        .append(FIXTURES.submission(batch, Fixtures.ALICE))
        .seal()
        .append(
            FIXTURES.submission(
                FIXTURES
                    .draft(6)
                    .withClues(List.of("clue"))
                    .withOps(List.of(put("a", "three", ABSENT)))
                    .build(),
                Fixtures.ALICE))
        .seal()
        .append(FIXTURES.single(7))
        .seal()
        .append(single(8, put("b", "again", ABSENT), delete("c", NONE)))
        .seal();
  }

  /// The sample and then so many blocks of random writes to a few keys.
  public static ReferenceLedger folding(int blocks, long seed) {
    return folding(sample(), blocks, seed);
  }

  /// A log and then so many blocks of random writes to a few keys.
  static ReferenceLedger folding(ReferenceLedger ledger, int blocks, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < blocks; i++) {
      ledger.append(single(100 + i, writes(random))).seal();
    }
    return ledger;
  }

  private static DraftOp[] writes(SplittableRandom random) {
    List<DraftOp> writes = new ArrayList<>();
    int first = random.nextInt(20);
    for (int key = first; key < first + 3; key++) {
      String name = "key " + key;
      writes.add(random.nextInt(4) == 0 ? delete(name, NONE) : put(name, "v" + random.nextInt()));
    }
    return writes.toArray(DraftOp[]::new);
  }

  static SignedRequest request(int number, DraftOp... ops) {
    return FIXTURES.draft(number).withOps(List.of(ops)).build();
  }

  static Submission single(int number, DraftOp... ops) {
    return FIXTURES.submission(request(number, ops), Fixtures.ALICE);
  }

  static DraftOp put(String key, String value) {
    return put(key, value, NONE);
  }

  static DraftOp put(String key, String value, Precondition precondition) {
    return new DraftOp.Put(Bytes.utf8(key), Bytes.utf8(value), precondition);
  }

  static DraftOp delete(String key, Precondition precondition) {
    return new DraftOp.Delete(Bytes.utf8(key), precondition);
  }

  static Precondition version(long jsn) {
    return new Precondition.IfVersion(new Jsn(jsn));
  }

  /// Of the value that operation `index` of request `number` puts.
  static Digest commit(int number, int index, String value) {
    return Commitments.value(Fixtures.bytes32("salt " + number), index, Bytes.utf8(value));
  }

  /// The right seal for the open block of `ledger`, but with another state root.
  static SealLeaf seal(ReferenceLedger ledger, Digest stateRoot) {
    SealLeaf right = ledger.nextSeal();
    return new SealLeaf(
        right.jsn(),
        right.timeMs(),
        right.height(),
        right.previous(),
        right.firstJsn(),
        right.journalRoot(),
        right.clueRoot(),
        stateRoot);
  }

  static AuditReport audit(ReferenceLedger ledger) {
    return audit(MemoryLog.of(ledger), Logs.OPTIONS);
  }

  public static AuditReport audit(LogSource log, AuditOptions options) {
    try {
      return Logs.AUDITOR.audit(FIXTURES.strand(), log, options);
    } catch (IOException | AuditLimitException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  public static AuditFault assertFault(ReferenceLedger ledger, long jsn, FaultKind kind) {
    return assertFault(MemoryLog.of(ledger), jsn, kind);
  }

  public static AuditFault assertFault(LogSource log, long jsn, FaultKind kind) {
    AuditReport report = audit(log, Logs.OPTIONS);
    assertThat(report.firstFault()).isPresent();
    AuditFault fault = report.firstFault().orElseThrow();
    assertThat(fault.kind()).as(fault.toString()).isEqualTo(kind);
    assertThat(fault.jsn()).as(fault.toString()).isEqualTo(jsn);
    return fault;
  }
}
