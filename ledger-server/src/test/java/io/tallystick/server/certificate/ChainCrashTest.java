package io.tallystick.server.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.Member;
import io.tallystick.node.MemberCertificates;
import io.tallystick.server.removal.Stillness;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Goal: wherever the machine dies, a chain that was shown is there, an erased one is gone with its
/// bytes, none is damaged, and no object is left that no row names. Method: crash, or let a force
/// fail or the disk be full, at each operation of a run beside a list of what was answered.
class ChainCrashTest {
  private static final TestAuthority CA = TestAuthority.root("root");
  private static final SeededSigner DAVE = SeededSigner.ed25519("dave");
  private static final CertificateChain NAMED = CA.chain("Dave", DAVE.publicKey());
  private static final CertificateChain ERASED = CA.chain("Erin", Fixtures.BOB.publicKey());
  private static final CertificateChain WAITING = CA.chain("Alice", Fixtures.ALICE.publicKey());
  private static final long LATER_MS = 40L * 24 * 3_600_000;

  private final Fixtures fixtures = Fixtures.ledger();
  private final LedgerId ledger = fixtures.params().ledgerId();
  private final LedgerId other = new LedgerId(Digest.ZERO);
  private final RequestHeader grant;
  private final AtomicLong nowMs = new AtomicLong(Fixtures.TIME_MS);

  ChainCrashTest() throws Exception {
    Extension.Grant naming =
        new Extension.Grant(
            Role.NORMAL,
            DAVE.publicKey(),
            OptionalLong.empty(),
            Optional.empty(),
            false,
            Optional.of(NAMED.digest()));
    grant =
        RequestHeader.decode(
            fixtures.govern(Kind.GRANT, naming, Fixtures.ALICE).requests().getFirst().header());
  }

  private ChainTable open(Disk disk, MetaStore meta) throws Exception {
    return open(disk, meta, new Stillness());
  }

  private ChainTable open(Disk disk, MetaStore meta, Stillness still) throws Exception {
    ChainTable table =
        ChainTable.open(
            meta,
            LocalObjects.open(disk),
            still,
            () -> Instant.ofEpochMilli(nowMs.get()),
            new ChainTrust());
    table.trust(CA.trusted());
    return table;
  }

  private record Chain(LedgerId ledger, CertificateChain chain) {}

  /// What was answered: whether each chain is kept; absent while that is not known.
  private static final class Told {
    private final Map<Chain, Boolean> kept = new HashMap<>();
    private boolean sealed;

    private void change(Chain chain, boolean to, Step step) throws Exception {
      kept.remove(chain);
      step.run();
      kept.put(chain, to);
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  private Told run(Disk disk, MetaStore meta) {
    Told told = new Told();
    List.of(NAMED, ERASED, WAITING)
        .forEach(each -> {
          told.kept.put(new Chain(ledger, each), false);
          told.kept.put(new Chain(other, each), false);
        });
    nowMs.set(Fixtures.TIME_MS);
    try {
      ChainTable table = open(disk, meta);
      for (Chain each :
          List.of(
              new Chain(ledger, NAMED),
              new Chain(ledger, ERASED),
              new Chain(other, ERASED),
              new Chain(ledger, WAITING))) {
        told.change(each, true, () -> table.show(each.ledger(), each.chain()));
      }
      table.sealed(grant);
      told.sealed = true;
      told.change(new Chain(ledger, ERASED), false, () -> table.erase(ledger, ERASED.digest()));
      nowMs.addAndGet(LATER_MS);
      told.kept.remove(new Chain(other, ERASED));
      told.change(new Chain(ledger, WAITING), false, table::dropExpired);
      told.kept.put(new Chain(other, ERASED), false);
      told.change(new Chain(ledger, NAMED), false, () -> table.erase(ledger, NAMED.digest()));
    } catch (Exception died) {
      // What was told so far is what counts.
    }
    return told;
  }

  private void check(Disk disk, MetaStore meta, Told told, String when) throws Exception {
    nowMs.set(Fixtures.TIME_MS);
    ChainTable table = open(disk, meta);
    if (told.sealed) {
      table.sealed(grant); // as a replay does
    }
    int there = 0;
    for (LedgerId each : List.of(ledger, other)) {
      for (CertificateChain chain : List.of(NAMED, ERASED, WAITING)) {
        there += check(table, new Chain(each, chain), told, when) ? 1 : 0;
      }
    }
    assertThat(LocalObjects.open(disk).list()).as(when).hasSize(there);
  }

  /// @return whether it is kept
  private boolean check(ChainTable table, Chain each, Told told, String when) throws Exception {
    boolean named = told.sealed && each.equals(new Chain(ledger, NAMED));
    Optional<CertificateChain> found = table.find(each.ledger(), each.chain().digest());
    if (found.isPresent()) {
      assertThat(found).as(when).contains(each.chain());
    }
    Boolean kept = told.kept.get(each);
    if (kept != null && (named || !kept)) {
      assertThat(found.isPresent()).as("%s, %s", each, when).isEqualTo(kept);
    }
    boolean erased = table.erase(each.ledger(), each.chain().digest());
    if (kept != null) {
      assertThat(erased).as("%s, %s", each, when).isEqualTo(kept);
    }
    if (erased) {
      table.show(each.ledger(), each.chain());
    }
    return erased;
  }

  @Test
  void whatWasAnsweredSurvivesACrash() throws Exception {
    CrashPlan clean = CrashPlan.never();
    Told all = run(new CrashingDisk(clean), new CrashingMetaStore(clean));
    assertThat(all.kept.values()).hasSize(6).containsOnly(false);
    SplittableRandom random = new SplittableRandom(43);
    for (int at = 0; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      Told told = run(disk, meta);
      check(disk.afterCrash(), meta.afterCrash(), told, "crash at operation " + at);
    }
  }

  @Test
  void whatWasAnsweredSurvivesAFailedForceAndAFullDisk() throws Exception {
    CrashPlan clean = CrashPlan.never();
    run(new CrashingDisk(clean), new CrashingMetaStore(clean));
    SplittableRandom random = new SplittableRandom(44);
    for (int at = 0; at < clean.operations(); at++) {
      for (boolean full : new boolean[] {false, true}) {
        CrashPlan plan =
            full
                ? CrashPlan.diskFullAt(at, random.split())
                : CrashPlan.failForceAt(at, random.split());
        CrashingDisk disk = new CrashingDisk(plan);
        CrashingMetaStore meta = new CrashingMetaStore(plan);
        Told told = run(disk, meta);
        plan.crashNow();
        check(
            disk.afterCrash(),
            meta.afterCrash(),
            told,
            (full ? "full at operation " : "failed force at operation ") + at);
      }
    }
  }

  @Test
  void aRowWhoseObjectIsGoneIsThatOfAnErasedChain() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    ChainTable table = open(disk, meta);
    table.show(ledger, NAMED);
    table.sealed(grant);
    disk.delete(disk.names().getFirst());
    assertThat(table.find(ledger, NAMED.digest())).isEmpty();
    assertThat(table.namedBy(grant)).isEmpty();
    ChainTable again = open(disk, meta);
    assertThat(again.find(ledger, NAMED.digest())).isEmpty();
    assertThat(meta.get(ChainRow.key(ledger, NAMED.digest()))).isNull();
    assertThat(again.show(ledger, NAMED)).isNotEqualTo(Member.NEVER);
    assertThat(again.namedBy(grant)).contains(NAMED);
  }

  @Test
  void aDamagedObjectIsToldAndCanBeErased() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    ChainTable table = open(disk, new InMemoryMetaStore());
    table.show(ledger, NAMED);
    table.sealed(grant);
    disk.flipBit(disk.names().getFirst(), 100, 3);
    assertThat(refusal(() -> table.find(ledger, NAMED.digest())).code())
        .isEqualTo(RejectionCode.DAMAGED);
    assertThat(table.erase(ledger, NAMED.digest())).isTrue();
    assertThat(disk.names()).isEmpty();
  }

  /// A row that is gone names no object, so that nobody would look for its bytes any more.
  @Test
  void anErasedObjectGoesBeforeItsRow() throws Exception {
    CrashPlan plan = CrashPlan.never();
    CrashingDisk disk = new CrashingDisk(plan);
    CrashingMetaStore meta = new CrashingMetaStore(plan);
    ChainTable table = open(disk, meta);
    table.show(ledger, NAMED);
    assertThat(LocalObjects.open(disk).list()).hasSize(1);
    plan.crashAfter(2, new SplittableRandom(1)); // the deletion and the force of its folder
    assertThat(refusal(() -> table.erase(ledger, NAMED.digest())).code())
        .isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(LocalObjects.open(disk.afterCrash()).list()).isEmpty();
  }

  /// As an earlier version wrote them.
  @Test
  void chainsInRowsAreReadAndMoveToObjects() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    long untilMs = Fixtures.TIME_MS + MemberCertificates.WAITING_MS;
    for (CertificateChain each : List.of(NAMED, ERASED, WAITING)) {
      meta.write(
          new MetaBatch()
              .put(
                  ChainRow.key(ledger, each.digest()), ChainRowTest.encodeVersion1(untilMs, each)));
    }
    ChainTable table = open(disk, meta);
    assertThat(table.namedBy(grant)).contains(NAMED);
    table.sealed(grant);
    assertThat(disk.names()).hasSize(1);
    assertThat(table.find(ledger, NAMED.digest())).contains(NAMED);
    assertThat(table.erase(ledger, ERASED.digest())).isTrue();
    table.show(ledger, WAITING);
    ChainTable again = open(disk, meta);
    assertThat(again.find(ledger, NAMED.digest())).contains(NAMED);
    assertThat(again.erase(ledger, ERASED.digest())).isFalse();
    assertThat(again.erase(ledger, WAITING.digest())).isTrue();
    assertThat(disk.names()).hasSize(1);
  }

  @Test
  void nothingIsErasedWhileABackupIsMade() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    Stillness still = new Stillness();
    ChainTable table = open(disk, meta, still);
    table.show(ledger, NAMED);
    table.show(ledger, WAITING);
    table.sealed(grant);
    still.hold();
    assertThat(refusal(() -> table.erase(ledger, NAMED.digest())).code())
        .isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(table.erase(other, NAMED.digest())).isFalse();
    nowMs.addAndGet(LATER_MS);
    table.dropExpired();
    table.show(ledger, ERASED);
    assertThat(disk.names()).hasSize(3);
    open(disk, new InMemoryMetaStore(), still); // to which all of them are of no row
    assertThat(disk.names()).as("a shard that opens itself again").hasSize(3);
    still.release();
    table.show(ledger, ERASED);
    assertThat(disk.names()).as("what has waited gives way").hasSize(2);
    assertThat(table.find(ledger, NAMED.digest())).contains(NAMED);
    assertThat(table.erase(ledger, NAMED.digest())).isTrue();
  }

  private static RequestRejectedException refusal(Step step) throws Exception {
    try {
      step.run();
    } catch (RequestRejectedException e) {
      return e;
    }
    throw new AssertionError("not refused");
  }
}
