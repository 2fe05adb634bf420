package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.node.LedgerPurges;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a snapshot that was offered can be named by a purge, and its files are whole, whatever
/// befalls a second one of the same block, and nothing of that one is left. Method: a ledger with
/// clues and a state, of which a prefix is purged already. The machine dies, or the disk is full,
/// at each operation of the second; then the first is named.
class PreparedAgainCrashTest {
  private static final int PURGED = 8;
  private static final int JOURNALS = 14;
  private static final Digest ABSENT = Fixtures.ALICE.publicKey().kid();

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Map<String, byte[]> images = new HashMap<>();
  private final Fixtures ledger =
      Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE)).withSmallState();
  private Snapshot snapshot;

  private Snapshot prepare(TestNode service, long height, Digest... absent) throws Exception {
    return Snapshot.decode(purges(service).prepare(ledger.strand(), height, List.of(absent)));
  }

  private void purge(TestNode service, Snapshot snapshot) throws Exception {
    service.append(
        ledger,
        ledger.govern(
            Kind.PURGE,
            new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), 0),
            Fixtures.ALICE));
    service.clock.addAndGet(10);
  }

  private void append(TestNode service, int number) throws Exception {
    service.append(
        ledger,
        number % 2 == 0
            ? ledger.clued(number, "clue " + number % 5, "all")
            : ledger.writing(
                number,
                DraftOp.put(Bytes.utf8("own " + number), Fixtures.bytes32("a" + number)),
                DraftOp.put(Bytes.utf8("one of " + number % 4), Fixtures.bytes32("b" + number)),
                DraftOp.put(Bytes.utf8("all"), Fixtures.bytes32("c" + number))));
  }

  private static LedgerPurges purges(TestNode service) {
    return service.node.purges().orElseThrow();
  }

  @BeforeEach
  void offerASnapshot() throws Exception {
    try (TestNode service = new TestNode(disk, meta)) {
      service.found(ledger);
      for (int i = 0; i < JOURNALS; i++) {
        append(service, i);
        if (i == PURGED) {
          purge(service, prepare(service, PURGED));
          OccultStory.awaitErased(service, 1);
        }
      }
      snapshot = prepare(service, JOURNALS);
    }
    for (String name : disk.list("images")) {
      images.put(name, disk.content("images/" + name));
    }
    assertThat(images).hasSize(2 * 5);
  }

  /// @return operations when it begins, and when it has ended, well or not
  private int[] prepareAgain(CrashingDisk again, CrashingMetaStore rows, CrashPlan plan)
      throws Exception {
    try (TestNode service = new TestNode(again, rows)) {
      int begin = plan.operations();
      try {
        assertThat(prepare(service, JOURNALS, ABSENT).digest()).isNotEqualTo(snapshot.digest());
      } catch (Exception failed) {
        assertThat(plan.fired()).isTrue();
      }
      int end = plan.operations();
      plan.crashNow();
      return new int[] {begin, end};
    }
  }

  private void checkTheFirst(InMemoryDisk left, InMemoryMetaStore rows, String when)
      throws Exception {
    for (Map.Entry<String, byte[]> image : images.entrySet()) {
      assertThat(left.content("images/" + image.getKey())).as(when).isEqualTo(image.getValue());
    }
    try (TestNode service = new TestNode(left, rows, TestNode.CONFIG, Fixtures.TIME_MS + 100)) {
      assertThat(left.list("images")).as(when).hasSameSizeAs(images.keySet());
      purge(service, snapshot);
      OccultStory.awaitErased(service, 2);
      assertThat(OccultStory.done(service)).as(when).isEqualTo(2);
      Bytes clues = purges(service).clues(ledger.strand(), 0, 0, 1 << 20).bytes();
      assertThat(images.values()).as(when).contains(clues.toArray());
      Bytes state = purges(service).state(ledger.strand(), 0, 0, 1 << 20).bytes();
      assertThat(images.values()).as(when).contains(state.toArray());
    }
  }

  @Test
  void theFirstSnapshotStaysWhole() throws Exception {
    CrashPlan clean = CrashPlan.never();
    int[] span =
        prepareAgain(new CrashingDisk(disk, clean), new CrashingMetaStore(meta, clean), clean);
    assertThat(span[1] - span[0]).isGreaterThan(8);
    SplittableRandom random = new SplittableRandom(20_261_126);
    for (int at = span[0]; at < span[1]; at++) {
      for (boolean full : new boolean[] {false, true}) {
        CrashPlan plan =
            full ? CrashPlan.diskFullAt(at, random.split()) : CrashPlan.at(at, random.split());
        CrashingDisk again = new CrashingDisk(disk, plan);
        CrashingMetaStore rows = new CrashingMetaStore(meta, plan);
        var _ = prepareAgain(again, rows, plan);
        checkTheFirst(
            again.afterCrash(),
            rows.afterCrash(),
            String.format(Locale.ROOT, "full %b at %d", full, at));
      }
    }
  }
}
