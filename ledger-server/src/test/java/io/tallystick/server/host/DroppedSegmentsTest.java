package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.Commitments;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a purge drops the segments in which nothing is left, and no others: not those with
/// journals of another ledger, founded before or after; and a node whose stream begins late starts,
/// reads, fills its indexes again and purges again. Method: segments of a few blocks; the files are
/// listed; bodies are searched for in all files and rows.
class DroppedSegmentsTest {
  private static final int PURGED = 200;
  private static final int KEPT = 30;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Watched watched = new Watched();
  private final Fixtures other = Fixtures.ledger().withWindow(300_000);
  private Fixtures ledger = Fixtures.ledger();
  private TestNode service;
  private long nowMs = Fixtures.TIME_MS;
  private int number = 10_000;
  private int removals;

  /// Counts the segments that are deleted, and those of them that were before a note of a purge
  /// says that it cannot be recalled any more.
  private final class Watched extends ForwardingDisk {
    private int dropped;
    private int tooEarly;

    Watched() {
      super(disk);
    }

    @Override
    public void delete(String name) throws IOException {
      if (name.matches("stream/.*[0-9a-f]{8}.seg")) {
        dropped++;
        meta.scan(
            PendingErasureRow.PREFIX,
            null,
            (key, _) -> {
              tooEarly += isBegun(key) ? 0 : 1;
              return true;
            });
      }
      super.delete(name);
    }

    private boolean isBegun(Bytes key) throws IOException {
      NoteRows notes = service.node.shard().noteRows();
      try {
        LedgerId of = PendingErasureRow.ledgerOf(key);
        long jsn = PendingErasureRow.jsnOf(key);
        return notes.get(PendingErasureRow.notedKey(of, jsn)) != null
            || notes.get(RemovalRows.doneKey(of, jsn)) != null;
      } catch (MalformedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(watched, meta, TestNode.TINY_SEGMENTS, TestNode.CONFIG, nowMs);
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private void reopen() throws Exception {
    close();
    open();
  }

  private long append(Fixtures to, Submission submission) throws Exception {
    return service.append(to, submission).committed().firstJsn();
  }

  private void fill(Fixtures to, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      append(to, to.single(number++));
    }
  }

  private long height(Fixtures of) throws Exception {
    return service.node.newestBlock(of.strand()).height();
  }

  /// Purges all up to the newest block, and waits until it is carried out.
  private Snapshot purge(Fixtures of) throws Exception {
    Snapshot snapshot =
        Snapshot.decode(
            service.node.purges().orElseThrow().prepare(of.strand(), height(of), List.of()));
    append(
        of,
        of.govern(
            Kind.PURGE,
            new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), 0),
            Fixtures.ALICE));
    service.clock.set(++nowMs);
    fill(of, 1);
    OccultStory.awaitErased(service, ++removals);
    assertThat(OccultStory.done(service)).isEqualTo(removals);
    return snapshot;
  }

  /// The number of the first segment that there is.
  private int firstSegment() throws Exception {
    return Integer.parseInt(disk.list("stream/00000000").getFirst().substring(0, 8), 16);
  }

  private void assertGone(int from, int to) throws Exception {
    for (int gone = from; gone < to; gone += 13) {
      assertThat(OccultStory.found(disk, meta, gone)).as("payload %d", gone).isEmpty();
    }
  }

  private void assertReadable(Fixtures of, long from) throws Exception {
    assertReadable(of, from, from);
  }

  /// @param firstKept below it only the leaves are there
  private void assertReadable(Fixtures of, long from, long firstKept) throws Exception {
    long size = service.node.newestSize(of.strand());
    for (long jsn = from; jsn < size; jsn++) {
      var _ = service.node.journal(of.strand(), jsn, jsn >= firstKept);
    }
  }

  private void damageBody(int number) throws Exception {
    byte[] body = OccultStory.markers(number).getFirst();
    List<String> files = OccultStory.found(disk, meta, body);
    assertThat(files).hasSize(1);
    String content = new String(disk.content(files.getFirst()), StandardCharsets.ISO_8859_1);
    disk.flipBit(
        files.getFirst(), content.indexOf(new String(body, StandardCharsets.ISO_8859_1)), 3);
  }

  private RejectionCode refusal(long jsn) {
    return catchThrowableOfType(
            RequestRejectedException.class, () -> service.node.journal(ledger.strand(), jsn, true))
        .code();
  }

  @Test
  void aLedgerThatIsAloneLosesWholeSegments() throws Exception {
    service.found(ledger);
    int before = 0;
    for (int round = 0; round < 3; round++) {
      int from = number;
      fill(ledger, PURGED);
      int to = number;
      Snapshot snapshot = purge(ledger);
      fill(ledger, KEPT);
      long firstKept = snapshot.firstKept().value();
      long firstLeaf = firstKept - firstKept % 256;
      assertThat(firstSegment()).isGreaterThan(before + 2);
      before = firstSegment();
      for (int i = 0; i < 2; i++) {
        assertGone(from, to);
        assertReadable(ledger, firstLeaf, firstKept);
        assertThat(service.node.journal(ledger.strand(), 0, true).leaf()).isNotNull();
        assertThat(refusal(firstLeaf - 1)).isEqualTo(RejectionCode.PURGED);
        assertThat(service.node.receipt(ledger.strand(), 10)).isNotEmpty();
        reopen();
        assertThat(firstSegment()).isEqualTo(before);
      }
      assertThat(watched.dropped).isEqualTo(before);
      assertThat(watched.tooEarly).isZero();
    }
  }

  /// Its segments have the other's first block; what is purged is made zeros.
  @Test
  void segmentsWithAnotherLedgersJournalsStay() throws Exception {
    service.found(other);
    long kept = append(other, other.single(1));
    service.found(ledger);
    int from = number;
    fill(ledger, PURGED);
    int to = number;
    purge(ledger);
    assertThat(firstSegment()).isZero();
    assertGone(from, to);
    assertReadable(other, kept);
    fill(other, PURGED);
    Snapshot last = purge(other);
    assertThat(firstSegment()).as("once the other is purged too").isGreaterThan(2);
    reopen();
    assertGone(from, to);
    assertReadable(other, 256, last.firstKept().value());
    fill(ledger, 1);
    fill(other, 1);
  }

  @Test
  void aLedgerFoundedLaterKeepsItsOwn() throws Exception {
    service.found(ledger);
    int from = number;
    fill(ledger, PURGED);
    int to = number;
    service.found(other);
    long kept = append(other, other.single(1));
    int founded = disk.list("stream/00000000").size();
    fill(ledger, PURGED);
    purge(ledger);
    assertThat(firstSegment()).isBetween(3, founded);
    assertGone(from, to);
    for (int i = 0; i < 2; i++) {
      assertReadable(other, 0);
      assertThat(service.node.journal(other.strand(), kept, true).body()).isNotNull();
      reopen();
    }
  }

  /// The ledgers are looked at in the order of their ids, some in each turn: of 80, the last needs
  /// the lowest segment.
  @Test
  void aShardOfManyLedgersDropsWhatNoneNeeds() throws Exception {
    List<Fixtures> others =
        IntStream.range(0, 79)
            .mapToObj(i -> Fixtures.ledger().withWindow(300_000 + i))
            .sorted(Comparator.comparing(each -> each.strand().ledger().hex()))
            .toList();
    service.found(ledger);
    int from = number;
    fill(ledger, PURGED);
    int to = number;
    service.found(others.getLast());
    int founded = disk.list("stream/00000000").size();
    fill(ledger, PURGED);
    for (Fixtures each : others.subList(0, 78)) {
      service.found(each);
    }
    purge(ledger);
    assertThat(firstSegment()).isBetween(3, founded);
    assertGone(from, to);
    for (Fixtures each : others) {
      assertReadable(each, 0);
    }
    fill(ledger, PURGED);
    int kept = firstSegment();
    purge(ledger);
    assertThat(firstSegment()).as("the ledger that needs it still does").isEqualTo(kept);
  }

  @Test
  void aDeletedLedgersNameGoesWithItsSegment() throws Exception {
    service.found(ledger);
    fill(ledger, PURGED);
    append(
        ledger,
        ledger.govern(
            Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.owners().toArray(SeededSigner[]::new)));
    Snapshot snapshot =
        Snapshot.decode(
            service
                .node
                .purges()
                .orElseThrow()
                .prepare(ledger.strand(), height(ledger), List.of()));
    append(
        ledger,
        ledger.govern(
            Kind.PURGE,
            new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), 0),
            Fixtures.ALICE));
    service.clock.set(++nowMs);
    service.found(other);
    OccultStory.awaitErased(service, 1);
    byte[] name = Fixtures.LEDGER_NAME.getBytes(StandardCharsets.UTF_8);
    assertThat(firstSegment()).isGreaterThan(2);
    reopen();
    List<String> found = OccultStory.found(disk, meta, name);
    assertThat(found).as("the other's, in the stream and a row").hasSize(2);
    assertThat(service.node.ledger(ledger.strand().ledger()).name()).isEmpty();
    assertGone(10_000, number);
  }

  /// Zeros could not be written into a damaged frame.
  @Test
  void aDamagedFrameGoesWithItsSegment() throws Exception {
    service.found(ledger);
    fill(ledger, PURGED);
    damageBody(10_050);
    purge(ledger);
    assertThat(service.gauge("ledger.removals.blocked")).isZero();
    assertThat(firstSegment()).isGreaterThan(2);
    assertGone(10_000, 10_000 + PURGED);
  }

  /// There is no image of clues, and no journals either, of blocks that are gone.
  @Test
  void cluesThatBeganAfterAPurgeAreFilledAgain() throws Exception {
    service.found(ledger);
    fill(ledger, PURGED);
    purge(ledger);
    append(ledger, ledger.clueTrieFrom(height(ledger) + 2));
    fill(ledger, 3);
    for (int i = 0; i < KEPT; i++) {
      append(ledger, ledger.clued(number++, "all"));
    }
    close();
    MetaBatch batch = new MetaBatch();
    ClueIndex.discard(ledger.strand(), batch);
    meta.write(batch);
    open();
    append(ledger, ledger.clued(number++, "all"));
    Digest id = Commitments.clueId(ledger.strand().ledger(), "all");
    assertThat(service.node.clue(ledger.strand(), id).value().orElseThrow().count())
        .isEqualTo(KEPT + 1);
    assertThat(service.clueRebuilds()).isEqualTo(1);
  }

  /// An occult that could not be carried out before: what it names is gone.
  @Test
  void anOccultOfWhatIsDroppedEnds() throws Exception {
    service.found(ledger);
    append(ledger, OccultStory.regulator(ledger));
    long target = append(ledger, ledger.single(number++));
    fill(ledger, PURGED);
    damageBody(10_000);
    append(ledger, OccultStory.occult(ledger, OccultStory.journals(service, ledger, target)));
    purge(ledger);
    reopen();
    fill(ledger, 1);
    OccultStory.awaitErased(service, 2);
    assertThat(OccultStory.done(service)).isEqualTo(2);
    assertThat(service.gauge("ledger.removals.blocked")).isZero();
  }
}
