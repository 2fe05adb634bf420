package io.tallystick.server.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.Member;
import io.tallystick.node.MemberCertificates;
import io.tallystick.server.note.NoteDecision;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.note.TestNotes;
import io.tallystick.server.removal.NotedObjects;
import io.tallystick.server.removal.Stillness;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
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

  /// What is open: the frames stay when the machine dies.
  private final class Opened {
    final TestNotes notes;
    final MetaStore meta;
    final LocalObjects objects;
    final ChainTable table;

    /// Replays the frames, and drops the objects that no row names.
    Opened(Disk disk, MetaStore meta, TestNotes notes, Stillness still) throws Exception {
      this.meta = meta;
      this.notes = notes;
      objects = LocalObjects.open(disk);
      table =
          ChainTable.open(
              notes.rows(),
              notes,
              meta,
              new NotedObjects(objects, still),
              still,
              () -> Instant.ofEpochMilli(nowMs.get()),
              new ChainTrust());
      table.trust(CA.trusted());
      notes.replay();
      if (still.beginChange()) {
        try {
          sweep();
        } finally {
          still.endChange();
        }
      }
    }

    private void sweep() throws Exception {
      List<ObjectStore.Held> all = objects.list();
      table.countErased(all.stream().map(ObjectStore.Held::id).collect(Collectors.toSet()));
      Set<Bytes> named = table.objects();
      for (ObjectStore.Held each : all) {
        if (!named.contains(each.id())) {
          objects.delete(each);
        }
      }
    }

    Opened again(Disk disk, MetaStore now) throws Exception {
      return again(disk, now, new Stillness());
    }

    Opened again(Disk disk, MetaStore now, Stillness still) throws Exception {
      return new Opened(disk, now, notes.reopened(now), still);
    }

    /// Of all frames that none holds.
    void savepoint() throws Exception {
      MetaBatch batch = new MetaBatch();
      table.savepoint(batch);
      meta.write(batch);
      table.saved();
      notes.savepoint(Integer.MAX_VALUE);
    }
  }

  private Opened open(Disk disk, MetaStore meta) throws Exception {
    return open(disk, meta, new Stillness());
  }

  private Opened open(Disk disk, MetaStore meta, Stillness still) throws Exception {
    TestNotes notes = TestNotes.over(meta, nowMs::get, _ -> Optional.empty());
    return new Opened(disk, meta, notes, still);
  }

  private record Chain(LedgerId ledger, CertificateChain chain) {}

  /// What was answered: whether each chain is kept; absent while that is not known.
  private static final class Told {
    private final Map<Chain, Boolean> kept = new HashMap<>();
    private boolean sealed;
    private @Nullable Opened opened;

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
      Opened opened = open(disk, meta);
      told.opened = opened;
      ChainTable table = opened.table;
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
      opened.savepoint();
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
    Opened again = told.opened == null ? open(disk, meta) : told.opened.again(disk, meta);
    ChainTable table = again.table;
    if (told.sealed) {
      table.sealed(grant); // as a replay does
    }
    int there = 0;
    for (LedgerId each : List.of(ledger, other)) {
      for (CertificateChain chain : List.of(NAMED, ERASED, WAITING)) {
        there += check(table, new Chain(each, chain), told, when) ? 1 : 0;
      }
    }
    assertThat(again.objects.list()).as(when).hasSize(there);
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
    Opened first = open(disk, meta);
    ChainTable table = first.table;
    table.show(ledger, NAMED);
    table.sealed(grant);
    first.savepoint();
    disk.delete(disk.names().getFirst());
    assertThat(table.find(ledger, NAMED.digest())).isEmpty();
    assertThat(table.namedBy(grant)).isEmpty();
    Opened again = first.again(disk, meta);
    assertThat(again.table.find(ledger, NAMED.digest())).isEmpty();
    again.table.dropExpired();
    assertThat(again.notes.rows().get(ChainRow.key(ledger, NAMED.digest()))).isNull();
    assertThat(again.table.show(ledger, NAMED)).as("a grant names it").isEqualTo(Member.NEVER);
    assertThat(again.table.namedBy(grant)).contains(NAMED);
  }

  @Test
  void aDamagedObjectIsToldAndCanBeErased() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    ChainTable table = open(disk, new InMemoryMetaStore()).table;
    table.show(ledger, NAMED);
    table.sealed(grant);
    disk.flipBit(disk.names().getFirst(), 100, 3);
    assertThat(refusal(() -> table.find(ledger, NAMED.digest())).code())
        .isEqualTo(RejectionCode.DAMAGED);
    assertThat(table.erase(ledger, NAMED.digest())).isTrue();
    assertThat(disk.names()).isEmpty();
  }

  /// A row that is gone names no object, so that nobody would look for its bytes any more; and a
  /// row that is there names one.
  @Test
  void anObjectIsThereBeforeItsNoteAndGoneBeforeThatOfItsErasing() throws Exception {
    List<Integer> objects = new ArrayList<>();
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    TestNotes notes = TestNotes.over(meta, nowMs::get, _ -> Optional.empty());
    ChainTable table =
        ChainTable.open(
            notes.rows(),
            new NoteWriter() {
              @Override
              public <R> CompletableFuture<R> writeLater(
                  long valueBytes, boolean makesRoom, NoteDecision<R> decision) {
                objects.add(disk.names().size());
                return notes.writeLater(valueBytes, makesRoom, decision);
              }
            },
            meta,
            new NotedObjects(LocalObjects.open(disk), new Stillness()),
            new Stillness(),
            () -> Instant.ofEpochMilli(nowMs.get()),
            new ChainTrust());
    table.trust(CA.trusted());
    table.show(ledger, NAMED);
    assertThat(table.erase(ledger, NAMED.digest())).isTrue();
    assertThat(objects).containsExactly(1, 0);
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
    Opened opened = open(disk, meta);
    ChainTable table = opened.table;
    assertThat(table.namedBy(grant)).contains(NAMED);
    table.sealed(grant);
    assertThat(table.find(ledger, NAMED.digest())).contains(NAMED);
    assertThat(table.erase(ledger, ERASED.digest())).isTrue();
    table.show(ledger, WAITING);
    opened.savepoint();
    assertThat(disk.names()).hasSize(1);
    ChainTable again = opened.again(disk, meta).table;
    assertThat(again.find(ledger, NAMED.digest())).contains(NAMED);
    assertThat(again.erase(ledger, ERASED.digest())).isFalse();
    assertThat(again.erase(ledger, WAITING.digest())).isTrue();
    assertThat(disk.names()).isEmpty();
  }

  @Test
  void nothingIsErasedWhileABackupIsMade() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    Stillness still = new Stillness();
    ChainTable table = open(disk, meta, still).table;
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
