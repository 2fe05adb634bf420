package io.tallystick.server.removal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.server.note.Note;
import io.tallystick.server.note.TestNotes;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Goal: a note of an erasure follows from the one before it, and holds every plan. Method: tasks
/// as of different notes; the largest plan there can be.
class ErasureTableTest {
  private static final LedgerId LEDGER = new LedgerId(Digest.ZERO);
  private static final long JSN = 40;

  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final TestNotes notes = TestNotes.over(meta, () -> 7, _ -> Optional.empty());

  private ErasureTable open() throws Exception {
    return ErasureTable.open(meta, notes.rows(), notes);
  }

  private void left() throws Exception {
    meta.write(new MetaBatch().put(PendingErasureRow.key(LEDGER, JSN), PendingErasureRow.begun()));
  }

  @Test
  void aNoteFollowsFromTheRowThatTheTaskGoesOnFrom() throws Exception {
    left();
    ErasureTable table = open();
    ErasureTask first = table.tasks().getFirst();
    ErasureTask same = table.tasks().getFirst();
    PendingErasureRow plan = new PendingErasureRow(9, List.of());
    assertThat(table.progress(first, plan)).isCompletedWithValue(true);
    assertThatThrownBy(() -> table.progress(same, plan)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> table.done(same)).isInstanceOf(IllegalStateException.class);

    ErasureTask next = table.tasks().getFirst();
    assertThat(next.row()).isEqualTo(plan);
    assertThat(table.doneMs(LEDGER, JSN)).isEmpty();
    assertThat(table.done(next)).isCompletedWithValue(true);
    assertThat(table.doneMs(LEDGER, JSN)).hasValue(7);
    assertThat(table.tasks()).as("though the savepoint's row is there").isEmpty();
    assertThatThrownBy(() -> table.progress(same, plan)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aRowThatDoesNotDecodeIsRefused() throws Exception {
    Bytes bad = Bytes.utf8("?");
    for (Bytes key :
        List.of(PendingErasureRow.key(LEDGER, JSN), PendingErasureRow.notedKey(LEDGER, JSN))) {
      meta.write(new MetaBatch().put(key, bad));
      assertThatThrownBy(this::open).isInstanceOf(CorruptStreamException.class);
      meta.write(new MetaBatch().delete(key));
    }
    ErasureTable _ = open();
    for (Bytes key :
        List.of(PendingErasureRow.notedKey(LEDGER, JSN), RemovalRows.doneKey(LEDGER, JSN))) {
      assertThat(
              notes.writeLater(
                  1,
                  (draft, _) -> {
                    draft.put(key, bad);
                    return true;
                  }))
          .isCompletedExceptionally();
    }
  }

  /// Sixty-four frames, and as many ranges as an occult plans, all with the longest numbers.
  @Test
  void aNoteHoldsTheLargestPlan() {
    int ranges = OccultErasure.JOURNALS_MAX / PendingErasureRow.FRAMES_MAX;
    FrameHeader header =
        new FrameHeader(2, -1, Long.MAX_VALUE, Long.MAX_VALUE, 1 << 20, 14 << 20, 0, -1, -1, -1);
    List<ErasedFrame> planned = new ArrayList<>();
    for (int i = 0; i < PendingErasureRow.FRAMES_MAX; i++) {
      List<FrameEdits.Range> zeros = new ArrayList<>();
      for (int k = 0; k < ranges; k++) {
        zeros.add(new FrameEdits.Range((1 << 20) + k * (1 << 17), 1 << 16));
      }
      planned.add(
          new ErasedFrame(
              Long.MAX_VALUE,
              header,
              new FrameEdits(zeros, List.of(new FrameEdits.Mark(1 << 20, (byte) -1)))));
    }
    Bytes row = new PendingErasureRow(PendingErasureRow.ALL, planned).encode();
    assertThat(row.size()).isLessThanOrEqualTo(Note.VALUE_BYTES_MAX);
  }
}
