package io.tallystick.audit;

import static io.tallystick.audit.ClueLogs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.ReferenceClues;
import io.tallystick.testkit.ReferenceEntry;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Goal: every lie about a clue is caught at the seal of the first block that tells it. Method: the
/// sample log with clues, resealed by an operator who holds the service's own keys and tells a clue
/// trie that is not that of the journals. All else is right, signatures included.
class ClueTamperingTest {

  /// The log whose blocks tell, from `height` on, the clue trie of the journals as `lie` changes
  /// it.
  private static ReferenceLedger forged(int height, Consumer<ReferenceClues> lie) throws Exception {
    ReferenceLedger log = ReferenceLedger.found(FIXTURES);
    for (ReferenceEntry entry : ClueLogs.sample().entries().subList(2, ClueLogs.SIZE)) {
      switch (Leaf.decode(entry.leaf())) {
        case SealLeaf right when right.height() < height -> log.seal();
        case SealLeaf _ -> {
          ReferenceClues clues = ReferenceClues.of(log.leaves());
          lie.accept(clues);
          log.seal(ClueLogs.seal(log, clues.root()));
        }
        default -> log.add(entry);
      }
    }
    return log;
  }

  /// The lie is told by the block of `height` first.
  private static void assertCaught(int height, Consumer<ReferenceClues> lie) throws Exception {
    ReferenceLedger log = forged(height, lie);
    long seal = ClueLogs.SEALS.get(height);
    AuditFault fault = ClueLogs.assertFault(log, seal, FaultKind.WRONG_FEATURE_ROOT);
    SealLeaf told = (SealLeaf) Leaf.decode(log.entries().get((int) seal).leaf());
    SealLeaf right = (SealLeaf) Leaf.decode(ClueLogs.sample().entries().get((int) seal).leaf());
    assertThat(fault.detail())
        .isEqualTo(
            String.format(
                Locale.ROOT,
                "clueRoot of block %d is %s, the journals give %s",
                height,
                told.clueRoot(),
                right.clueRoot()));
  }

  private static ClueValue value(ReferenceClues clues, String clue) {
    return clues.value(ClueLogs.clueId(clue));
  }

  private static Digest root(List<Bytes> journals) {
    ReferenceTree leaves = new ReferenceTree(journals);
    List<Bytes> hashes =
        leaves.leafHashes(0, journals.size()).stream().map(Digest::toBytes).toList();
    return new ReferenceTree(hashes).root(hashes.size());
  }

  @Test
  void passesTheLogThatLiesNowhere() throws Exception {
    assertThat(ClueLogs.audit(forged(1, _ -> {})).firstFault()).isEmpty();
  }

  @Test
  void catchesTheClueRootOfAnotherBlockAtEverySeal() throws Exception {
    ReferenceLedger right = ClueLogs.sample();
    for (int height = 1; height < ClueLogs.SEALS.size(); height++) {
      long jsn = ClueLogs.SEALS.get(height);
      for (int other : ClueLogs.SEALS) {
        Digest root = clueRoot(right, other);
        if (!root.equals(clueRoot(right, (int) jsn))) {
          ReferenceLedger log = upTo(right, jsn);
          log.seal(ClueLogs.seal(log, root));
          ClueLogs.assertFault(log, jsn, FaultKind.WRONG_FEATURE_ROOT);
        }
      }
    }
  }

  private static Digest clueRoot(ReferenceLedger log, int seal) throws Exception {
    return ((SealLeaf) Leaf.decode(log.entries().get(seal).leaf())).clueRoot();
  }

  /// The leaves before `jsn`, its block open.
  private static ReferenceLedger upTo(ReferenceLedger log, long jsn) throws Exception {
    ReferenceLedger cut = ReferenceLedger.found(FIXTURES);
    for (ReferenceEntry entry : log.entries().subList(2, (int) jsn)) {
      if (Leaf.decode(entry.leaf()) instanceof JournalLeaf) {
        cut.add(entry);
      } else {
        cut.seal();
      }
    }
    return cut;
  }

  @Test
  void catchesSwappedEntries() throws Exception {
    assertCaught(
        1,
        clues -> {
          List<Bytes> journals = new ArrayList<>(clues.journals(ClueLogs.clueId("a")));
          Collections.swap(journals, 0, 1);
          ClueValue right = value(clues, "a");
          clues.put(
              ClueLogs.clueId("a"),
              new ClueValue(right.count(), root(journals), right.deletedJsn()));
        });
  }

  @Test
  void catchesAnEntryOfAnotherJournalInItsPlace() throws Exception {
    assertCaught(
        2,
        clues -> {
          List<Bytes> journals = new ArrayList<>(clues.journals(ClueLogs.clueId("c")));
          journals.set(0, clues.journals(ClueLogs.clueId("b")).getFirst());
          clues.put(ClueLogs.clueId("c"), new ClueValue(2, root(journals), 0));
        });
  }

  @Test
  void catchesAnInflatedAndADeflatedCount() throws Exception {
    for (int by : new int[] {1, -1}) {
      assertCaught(
          3,
          clues -> {
            ClueValue right = value(clues, "a");
            clues.put(
                ClueLogs.clueId("a"),
                new ClueValue(right.count() + by, right.root(), right.deletedJsn()));
          });
    }
  }

  @Test
  void catchesADeletionThatIsIgnoredMovedOrNeverEnds() throws Exception {
    for (long deletedJsn : new long[] {0, 12, 14}) {
      assertCaught(4, clues -> deleted(clues, deletedJsn));
    }
    assertCaught(6, clues -> deleted(clues, 13));
  }

  private static void deleted(ReferenceClues clues, long jsn) {
    ClueValue right = value(clues, "a");
    clues.put(ClueLogs.clueId("a"), new ClueValue(right.count(), right.root(), jsn));
  }

  @Test
  void catchesADeletionThatIsNoEntry() throws Exception {
    assertCaught(
        4,
        clues -> {
          List<Bytes> journals = clues.journals(ClueLogs.clueId("a"));
          clues.put(
              ClueLogs.clueId("a"),
              new ClueValue(
                  journals.size() - 1L, root(journals.subList(0, journals.size() - 1)), 13));
        });
  }

  @Test
  void catchesAClueOfAJournalThatIsDropped() throws Exception {
    assertCaught(
        2,
        clues -> {
          List<Bytes> journals = clues.journals(ClueLogs.clueId("b"));
          clues.put(ClueLogs.clueId("b"), new ClueValue(1, root(journals.subList(0, 1)), 0));
        });
    for (String clue : List.of("größe", "c")) {
      assertCaught(2, clues -> clues.trie().delete(ReferenceClues.key(ClueLogs.clueId(clue))));
    }
    assertCaught(3, clues -> clues.trie().delete(ReferenceClues.key(ClueLogs.clueId("clue 63"))));
  }

  @Test
  void catchesAClueThatNoJournalNamed() throws Exception {
    assertCaught(5, clues -> clues.put(ClueLogs.clueId("invented"), value(clues, "größe")));
  }

  @Test
  void catchesAStateRootThatIsNotTheEmptyOne() throws Exception {
    ReferenceLedger log = ClueLogs.sample().append(FIXTURES.single(30));
    SealLeaf right = log.nextSeal();
    log.seal(
        new SealLeaf(
            right.jsn(),
            right.timeMs(),
            right.height(),
            right.previous(),
            right.firstJsn(),
            right.journalRoot(),
            right.clueRoot(),
            right.clueRoot()));
    ClueLogs.assertFault(log, 22, FaultKind.WRONG_FEATURE_ROOT);
  }
}
