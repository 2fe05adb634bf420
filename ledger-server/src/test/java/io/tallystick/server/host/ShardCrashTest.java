package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.BlockView;
import io.tallystick.node.LedgerView;
import io.tallystick.node.Member;
import io.tallystick.node.StateQuery;
import io.tallystick.node.StateReads;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Goal: whenever the machine dies, nothing acknowledged is lost, nothing unwritten appears, replay
/// seals the same blocks, and sending everything again runs nothing twice. Method: count the disk
/// and meta store operations of a clean run, then crash at each one and recover from what survives.
class ShardCrashTest {
  private static final ShardConfig CONFIG = TestNode.CONFIG.withSavepointEvery(9, 3_600_000);

  private static final int GRANT_OF_DAVE = 9;
  private static final int ROTATION = 13;
  private static final SeededSigner DAVE = SeededSigner.ed25519("dave");

  private final Fixtures fixtures = Fixtures.ledger().withSmallState();
  private final List<Submission> submissions =
      List.of(
          fixtures.single(1),
          fixtures.batch(10, 3),
          fixtures.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()),
          fixtures.govern(Kind.GRANT, granted(Fixtures.CAROL, Optional.empty()), Fixtures.ALICE),
          fixtures.single(2),
          fixtures.submission(fixtures.request(3), Fixtures.CAROL),
          fixtures.batch(20, 7),
          fixtures.single(4),
          fixtures.memberRevoke(Fixtures.CAROL.publicKey().kid()),
          fixtures.govern(
              Kind.GRANT, granted(DAVE, Optional.of(Fixtures.BOB.publicKey().kid())), Fixtures.BOB),
          fixtures.clueTrieFrom(13),
          fixtures.batch(30, 2),
          fixtures.single(5),
          fixtures.govern(
              Kind.KEY_ROTATION,
              new Extension.KeyRotation(
                  Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey()),
              Fixtures.ALICE),
          fixtures.clued(40, "invoice 1", "customer 7"),
          fixtures.clued(41, "invoice 2", "customer 7"),
          fixtures.clueDelete(42, "invoice 1"),
          fixtures.clued(43, "invoice 1", "customer 9"),
          writing(44, 1, 5),
          writing(45, 4, 9),
          fixtures.writing(46, DraftOp.delete(Bytes.utf8("key 2"))),
          writing(47, 2, 7),
          fixtures.submission(fixtures.request(48), DAVE, Fixtures.ALICE),
          fixtures.govern(Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.ALICE));

  /// To an agent, for an hour.
  private static Extension granted(SeededSigner key, Optional<Digest> replaced) {
    return new Extension.Grant(
        Role.NORMAL,
        key.publicKey(),
        OptionalLong.of(Fixtures.TIME_MS + 3_600_000),
        replaced,
        true,
        Optional.empty());
  }

  private Submission writing(int number, int from, int to) {
    return fixtures.writing(
        number,
        IntStream.range(from, to)
            .mapToObj(i -> DraftOp.put(Bytes.utf8("key " + i), Bytes.utf8("by " + number)))
            .toArray(DraftOp[]::new));
  }

  /// What a client was told before the crash.
  private static final class Told {
    final Map<Integer, Receipted> receipts = new LinkedHashMap<>();
    final List<Bytes> blockHashes = new ArrayList<>();
    boolean founded;
  }

  /// Runs the workload until it ends or the machine dies.
  private Told run(Disk disk, MetaStore meta) {
    Told told = new Told();
    try (TestNode service = new TestNode(disk, meta, CONFIG)) {
      service.found(fixtures);
      told.founded = true;
      for (int i = 0; i < submissions.size(); i++) {
        told.receipts.put(i, service.append(fixtures, submissions.get(i)));
        told.blockHashes.add(service.node.newestBlock(fixtures.strand()).blockHash().toBytes());
      }
    } catch (Exception died) {
      // What was told so far is what counts.
    }
    return told;
  }

  private void checkRecovered(InMemoryDisk disk, InMemoryMetaStore meta, Told told, String when)
      throws Exception {
    try (TestNode service = new TestNode(disk, meta, CONFIG)) {
      if (told.founded) {
        service.node.ledger(fixtures.strand().ledger());
      } else {
        service.found(fixtures);
      }
      for (Map.Entry<Integer, Receipted> entry : told.receipts.entrySet()) {
        checkKept(service, entry.getValue(), when);
      }
      for (int i = 0; i < told.blockHashes.size(); i++) {
        assertThat(service.node.blockAt(fixtures.strand(), i + 1).blockHash().toBytes())
            .as("block %d, %s", i + 1, when)
            .isEqualTo(told.blockHashes.get(i));
      }
      resubmitAll(service, told, when);
      checkState(service, when);
      checkPeople(service, when);
      checkKeys(service, when);
    }
  }

  private void checkPeople(TestNode service, String when) throws Exception {
    long bobs = service.append(fixtures, submissions.get(GRANT_OF_DAVE)).committed().firstJsn();
    Member bob = member(service, Fixtures.BOB);
    assertThat(bob.revokedJsn()).as("Bob, %s", when).isEqualTo(bobs);
    assertThat(bob.replacedBy()).as("Bob, %s", when).contains(DAVE.publicKey().kid());
    assertThat(member(service, Fixtures.CAROL).terms().delegated()).as("Carol, %s", when).isTrue();
    assertThat(member(service, DAVE).grantedJsn()).as("Dave, %s", when).isEqualTo(bobs);
    assertThatThrownBy(() -> service.append(fixtures, fixtures.single(49)))
        .as("append after close, %s", when)
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            late -> assertThat(late.code()).isEqualTo(RejectionCode.LEDGER_CLOSED));
  }

  /// The rotation is alone in its block, and the keys after it are the next ones.
  private void checkKeys(TestNode service, String when) throws Exception {
    long rotation = service.append(fixtures, submissions.get(ROTATION)).committed().firstJsn();
    BlockView block = service.node.blockOf(fixtures.strand(), rotation);
    assertThat(block.firstJsn()).as("the rotation's block, %s", when).isEqualTo(rotation);
    assertThat(block.sealJsn()).as("the rotation's block, %s", when).isEqualTo(rotation + 1);
    assertThat(service.provenKeys(fixtures))
        .as("service keys, %s", when)
        .isEqualTo(service.node.serviceKeys(fixtures.strand().ledger()))
        .isEqualTo(
            service
                .keys()
                .rotated(
                    new Jsn(rotation),
                    Fixtures.NEXT_NOTE.publicKey(),
                    Fixtures.NEXT_RECEIPT.publicKey()));
  }

  private Member member(TestNode service, SeededSigner key) throws RequestRejectedException {
    return service.node.member(fixtures.strand().ledger(), key.publicKey().kid()).orElseThrow();
  }

  private void checkState(TestNode service, String when) throws Exception {
    StateQuery all = new StateQuery(Bytes.EMPTY, Optional.empty(), 99, StateReads.NEWEST, true);
    List<Bytes> values =
        service.node.statePage(fixtures.strand(), all).values().stream()
            .map(read -> read.value().orElseThrow().value())
            .toList();
    assertThat(values)
        .as("state, %s", when)
        .isEqualTo(
            IntStream.of(44, 47, 47, 47, 47, 47, 45, 45)
                .mapToObj(i -> Bytes.utf8("by " + i))
                .toList());
  }

  private void checkKept(TestNode service, Receipted receipt, String when) throws Exception {
    service.verify(fixtures, receipt);
    byte[] again =
        service.node.rangeReceipt(
            fixtures.strand(), receipt.committed().firstJsn(), receipt.committed().count());
    assertThat(Bytes.wrap(again)).as("receipt, %s", when).isEqualTo(receipt.rangeReceipt());
  }

  /// Sends everything once more: what was there answers its first jsn, the rest is appended, and
  /// the log ends up with each journal exactly once.
  private void resubmitAll(TestNode service, Told told, String when) throws Exception {
    long journals = 0;
    for (int i = 0; i < submissions.size(); i++) {
      Receipted answer = service.append(fixtures, submissions.get(i));
      journals += answer.committed().count();
      Receipted before = told.receipts.get(i);
      if (before != null) {
        assertThat(answer.committed().repeated()).as("repeat %d, %s", i, when).isTrue();
        assertThat(answer.rangeReceipt()).as(when).isEqualTo(before.rangeReceipt());
      }
    }
    LedgerView ledger = service.node.ledger(fixtures.strand().ledger());
    long leavesWithoutSeals = ledger.size() - (ledger.height() + 1);
    assertThat(leavesWithoutSeals).as("journals, %s", when).isEqualTo(1 + journals);
  }

  @Test
  void keepsEverythingAcknowledgedWhereverItCrashes() throws Exception {
    CrashPlan clean = CrashPlan.never();
    Told all = run(new CrashingDisk(clean), new CrashingMetaStore(clean));
    assertThat(all.receipts).as("the clean run").hasSize(submissions.size());
    SplittableRandom random = new SplittableRandom(20261120);
    for (int at = 0; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      Told told = run(disk, meta);
      plan.crashNow();
      checkRecovered(disk.afterCrash(), meta.afterCrash(), told, "crash at operation " + at);
    }
  }

  @Seeded(runs = 5)
  void survivesACrashDuringTheRecoveryFromACrash(SplittableRandom random) throws Exception {
    CrashPlan first = CrashPlan.at(12 + random.nextInt(28), random.split());
    CrashingDisk disk = new CrashingDisk(first);
    CrashingMetaStore meta = new CrashingMetaStore(first);
    Told told = run(disk, meta);
    first.crashNow();
    CrashPlan second = CrashPlan.at(random.nextInt(12), random.split());
    CrashingDisk secondDisk = new CrashingDisk(disk.afterCrash(), second);
    CrashingMetaStore secondMeta = new CrashingMetaStore(meta.afterCrash(), second);
    try (TestNode service = new TestNode(secondDisk, secondMeta, CONFIG)) {
      assertThat(service.node).isNotNull();
    } catch (IOException | CorruptStreamException died) {
      assertThat(died).isInstanceOf(IOException.class);
    }
    second.crashNow();
    checkRecovered(secondDisk.afterCrash(), secondMeta.afterCrash(), told, "second crash");
  }

  @Test
  void failedForceEndsTheAppendUnknownAndTheShardReopensOnce() throws Exception {
    CrashPlan clean = CrashPlan.never();
    run(new CrashingDisk(clean), new CrashingMetaStore(clean));
    SplittableRandom random = new SplittableRandom(4);
    for (int at = 20; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.failForceAt(at, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      checkSurvivesOneFailure(disk, meta, "failed force at operation " + at);
    }
  }

  /// Appends with one retry each, as a client would; all must end up in the log, once.
  private void checkSurvivesOneFailure(Disk disk, MetaStore meta, String when) throws Exception {
    TestNode service;
    try {
      service = new TestNode(disk, meta, CONFIG);
    } catch (IOException failedWhileOpening) {
      service = new TestNode(disk, meta, CONFIG);
    }
    try (TestNode node = service) {
      retry(() -> node.found(fixtures), when);
      Told told = new Told();
      for (int i = 0; i < submissions.size(); i++) {
        Submission submission = submissions.get(i);
        told.receipts.put(i, retry(() -> node.append(fixtures, submission), when));
      }
      for (Receipted receipt : told.receipts.values()) {
        checkKept(node, receipt, when);
      }
      LedgerView ledger = node.node.ledger(fixtures.strand().ledger());
      assertThat(ledger.size() - ledger.height() - 1).as(when).isEqualTo(1 + journals());
    }
  }

  private long journals() {
    return submissions.stream().mapToInt(submission -> submission.requests().size()).sum();
  }

  private interface Attempt<T> {
    T run() throws Exception;
  }

  private static <T> T retry(Attempt<T> attempt, String when) throws Exception {
    Exception last = new IllegalStateException(when);
    long deadline = Waiting.deadline();
    while (!Waiting.isOver(deadline)) {
      try {
        return attempt.run();
      } catch (IllegalStateException | RequestRejectedException unknown) {
        if (unknown instanceof RequestRejectedException refusal && !refusal.code().retryable()) {
          throw new AssertionError(when, refusal);
        }
        last = unknown;
        Thread.sleep(5);
      }
    }
    throw new AssertionError(when, last);
  }

  @Test
  void refusesAppendsWhenTheDiskIsFullAndTakesThemAgainWhenItIsNot() throws Exception {
    CrashPlan plan = CrashPlan.never();
    CrashingDisk disk = new CrashingDisk(plan);
    try (TestNode service =
        new TestNode(disk, new CrashingMetaStore(plan), CONFIG.withFreeBytesMin(1 << 20))) {
      service.found(fixtures);
      Receipted before = service.append(fixtures, submissions.getFirst());
      disk.limit(1 << 19);
      service.clock.addAndGet(1000);
      assertThatThrownBy(() -> service.append(fixtures, submissions.get(1)))
          .isInstanceOfSatisfying(
              RequestRejectedException.class,
              full -> assertThat(full.code()).isEqualTo(RejectionCode.STORAGE_FULL));
      service.verify(fixtures, before);
      disk.limit(1L << 40);
      service.clock.addAndGet(1000);
      assertThat(service.append(fixtures, submissions.get(1)).committed().repeated()).isFalse();
    }
  }
}
