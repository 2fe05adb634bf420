package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardRemovals.Left;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a turn of the erasing takes one step, one removal does not undo what another has planned,
/// and nothing goes that no savepoint has. Method: the turns of a shard by hand, with two ledgers
/// whose journals share a frame; rows of erasures that are there too early, as by a mistake of the
/// service.
class ErasureStepsTest {
  private static final int FIRST = 777;
  private static final int SECOND = 888;
  private static final int THIRD = 999;
  private static final int FOURTH = 2_111;
  private static final int FIFTH = 2_222;

  /// The jsn of the ledger's journal that is to go: behind genesis, its seal, the regulator and the
  /// seal of that.
  private static final long JSN = 4;

  /// By id, as the rows of removals are.
  private final List<Fixtures> ledgers =
      Stream.of(Fixtures.ledger(), Fixtures.ledger().withSmallState())
          .sorted(Comparator.comparing(ledger -> ledger.params().ledgerId()))
          .toList();

  private final Fixtures low = ledgers.getFirst();
  private final Fixtures high = ledgers.getLast();
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final HookedMeta hooked = new HookedMeta();
  private final AtomicLong clock = new AtomicLong(Fixtures.TIME_MS);
  private SteppedShard stepped;
  private Shard shard;

  /// Does something before the next row of an erasure is written.
  private final class HookedMeta implements MetaStore {
    private @Nullable Hook beforeErasure;

    interface Hook {
      void before(MetaBatch batch) throws IOException;
    }

    @Override
    public @Nullable Bytes get(Bytes key) {
      return meta.get(key);
    }

    @Override
    public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
      meta.scan(prefix, after, visitor);
    }

    @Override
    public void write(MetaBatch batch) throws IOException {
      Hook hook = beforeErasure;
      MetaBatch erasures = new MetaBatch();
      for (MetaBatch.Change change : batch.changes()) {
        if (change instanceof MetaBatch.Change.Put(Bytes key, Bytes row)
            && key.slice(0, 1).equals(PendingErasureRow.PREFIX)) {
          erasures.put(key, row);
        }
      }
      if (hook != null && !erasures.changes().isEmpty()) {
        beforeErasure = null;
        hook.before(erasures);
      }
      meta.write(batch);
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void begin() throws Exception {
    open();
    for (Fixtures ledger : ledgers) {
      stepped.found(ledger);
    }
    commit();
    for (Fixtures ledger : ledgers) {
      append(ledger, OccultStory.regulator(ledger));
    }
    commit();
    append(low, low.single(FIRST));
    append(high, high.single(SECOND));
    commit(); // one frame
  }

  private void open() throws Exception {
    stepped = new SteppedShard(disk, hooked, disk, TestNode.CONFIG, clock);
    shard = stepped.shard;
  }

  @AfterEach
  void close() throws Exception {
    stepped.close();
  }

  private void commit() {
    stepped.commit();
  }

  private void append(Fixtures ledger, Submission submission) throws Exception {
    assertThat(stepped.append(ledger, submission).receipted()).isNotCompletedExceptionally();
  }

  private void occult(Fixtures ledger) throws Exception {
    occult(ledger, JSN);
  }

  /// Occults journals of a ledger; the removal is then saved.
  private void occult(Fixtures ledger, long... jsns) throws Exception {
    append(ledger, OccultStory.occult(ledger, stepped.journals(ledger, jsns)));
    commit();
    append(ledger, ledger.single(1)); // the newest frame is not erased
    commit();
  }

  /// How many erasures savepoints have left.
  private int left() throws Exception {
    List<Bytes> keys = new ArrayList<>();
    meta.scan(PendingErasureRow.PREFIX, null, (key, _) -> keys.add(key));
    return keys.size();
  }

  private long positionOf(String file, int number) throws Exception {
    String body = new String(OccultStory.markers(number).getFirst(), StandardCharsets.ISO_8859_1);
    return new String(disk.content(file), StandardCharsets.ISO_8859_1).indexOf(body);
  }

  private boolean isOnDisk(int number) throws Exception {
    return !OccultStory.found(disk, meta, number).isEmpty();
  }

  @Test
  void aTurnTakesOneStep() throws Exception {
    occult(low);
    assertThat(left()).isOne();
    assertThat(stepped.noted()).isEmpty();

    stepped.noteAStep("plan");
    assertThat(stepped.noted())
        .allMatch(row -> row.planned().size() == 1 && row.isLast())
        .hasSize(1);
    assertThat(isOnDisk(FIRST)).isTrue();

    stepped.noteAStep("erase");
    assertThat(isOnDisk(FIRST)).isFalse();
    assertThat(stepped.noted()).allMatch(row -> row.planned().isEmpty() && row.isLast()).hasSize(1);

    assertThat(shard.erasureTurn()).as("the rest").isEqualTo(Left.MORE);
    assertThat(OccultStory.done(shard)).isZero();

    stepped.noteAStep("done");
    assertThat(stepped.noted()).isEmpty();
    assertThat(OccultStory.done(shard)).isOne();
    assertThat(left()).as("before a savepoint").isOne();
    assertThat(shard.erasureTurn()).isEqualTo(Left.NOTHING);
    assertThat(shard.savepoint()).isTrue();
    assertThat(left()).isZero();
    assertThat(isOnDisk(SECOND)).isTrue();
  }

  /// Of the frame that both are in, one has planned the checksums that it has without the journal
  /// that the other erases.
  @Test
  void whatIsPlannedIsErasedBeforeAnotherIsPlannedAlsoAfterACrash() throws Exception {
    occult(high);
    stepped.noteAStep("plan");
    close();
    open();
    occult(low);
    assertThat(left()).isEqualTo(2);
    stepped.eraseAll();
    assertThat(stepped.blocked()).isZero();
    assertThat(OccultStory.done(shard)).isEqualTo(2);
    for (Fixtures ledger : ledgers) {
      assertThat(shard.log().journal(stepped.strand(ledger), JSN, true).bodyState())
          .isEqualTo(BodyState.ERASED);
    }
    assertThat(isOnDisk(FIRST) || isOnDisk(SECOND)).isFalse();
  }

  @Test
  void nothingGoesBeforeASavepointHasTheRemoval() throws Exception {
    List<Left> early = new ArrayList<>();
    hooked.beforeErasure =
        erasures -> {
          meta.write(erasures);
          for (int i = 0; i < 3; i++) {
            early.add(shard.erasureTurn());
          }
          assertThat(OccultStory.found(disk, meta, FIRST)).isNotEmpty();
        };
    occult(low);
    assertThat(early).containsExactly(Left.NOTHING, Left.NOTHING, Left.NOTHING);
    stepped.eraseAll();
    assertThat(OccultStory.done(shard)).isOne();
    assertThat(isOnDisk(FIRST)).isFalse();
  }

  @Test
  void nothingGoesThatNoSavepointHas() throws Exception {
    occult(low);
    append(low, low.single(THIRD));
    commit();
    append(low, low.single(2)); // the newest frame
    commit();
    LogReader.ErasablePart part =
        shard.log().erasable(stepped.strand(low), stepped.strand(low).head().size() - 4);
    ErasedFrame planned;
    try (StreamEraser eraser = stepped.streams.openEraser(new StreamId(0))) {
      planned =
          eraser.plan(
              part.at().frame(),
              FrameEdits.zeros(List.of(new FrameEdits.Range(part.at().offset(), part.bytes()))));
    }
    List<Bytes> keys = new ArrayList<>();
    meta.scan(PendingErasureRow.PREFIX, null, (key, _) -> keys.add(key));
    PendingErasureRow row = new PendingErasureRow(PendingErasureRow.ALL, List.of(planned));
    meta.write(new MetaBatch().put(keys.getFirst(), row.encode()));
    assertThat(shard.erasureTurn()).isEqualTo(Left.FAILED);
    assertThat(isOnDisk(THIRD)).isTrue();
    assertThat(shard.savepoint()).isTrue();
    stepped.noteAStep("erase");
    assertThat(isOnDisk(THIRD)).isFalse();
  }

  /// It cannot erase the first frame that it has planned, because another body there is damaged:
  /// the second, in which both have a body, is as it was, but may not be planned again.
  @Test
  void whatABlockedRemovalHasPlannedNoOtherPlans() throws Exception {
    append(high, high.batch(THIRD, 2)); // jsns 6 and 7
    commit();
    append(high, high.single(FOURTH)); // jsn 9
    append(low, low.single(FIFTH)); // jsn 6
    commit();
    occult(high, 6, 9);
    stepped.noteAStep("plan");
    String file = OccultStory.found(disk, meta, THIRD + 1).getFirst();
    long damaged = positionOf(file, THIRD + 1);
    disk.flipBit(file, damaged, 3);
    occult(low, 6);
    assertThat(shard.erasureTurn()).isEqualTo(Left.NOTHING);
    assertThat(stepped.blocked()).isOne();
    assertThat(shard.erasureTurn()).isEqualTo(Left.NOTHING);
    assertThat(stepped.noted()).extracting(row -> row.planned().size()).containsExactly(2);
    assertThat(isOnDisk(FIFTH)).isTrue();

    disk.flipBit(file, damaged, 3); // repaired
    close();
    open();
    stepped.eraseAll();
    assertThat(stepped.blocked()).isZero();
    assertThat(OccultStory.done(shard)).isEqualTo(2);
    assertThat(isOnDisk(THIRD) || isOnDisk(FOURTH) || isOnDisk(FIFTH)).isFalse();
    assertThat(isOnDisk(THIRD + 1)).isTrue();
  }

  /// Low is erased, and not noted to be, when another takes over from a savepoint that has high
  /// alone.
  @Test
  void whatNoSavepointHasIsErasedBeforeAnotherIsPlanned() throws Exception {
    occult(high);
    InMemoryDisk olderDisk = disk.copy();
    InMemoryMetaStore olderMeta = meta.copy();
    occult(low);
    stepped.noteAStep("plan");
    assertThat(shard.erasureTurn()).as("erase").isEqualTo(Left.NOTED);
    assertThat(isOnDisk(FIRST)).isFalse();

    try (SteppedShard taker =
        new SteppedShard(olderDisk, olderMeta, disk.copy(), TestNode.CONFIG, clock)) {
      assertThat(taker.shard.erasureTurn()).isEqualTo(Left.NOTHING);
      assertThat(taker.noted()).extracting(row -> row.planned().size()).containsExactly(1);
      assertThat(taker.shard.savepoint()).isTrue();
      taker.eraseAll();
      assertThat(taker.blocked()).isZero();
      assertThat(OccultStory.done(taker.shard)).isEqualTo(2);
    }
  }
}
