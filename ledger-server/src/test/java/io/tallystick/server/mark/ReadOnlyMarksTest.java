package io.tallystick.server.mark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.note.TestNotes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a ledger is read-only from the first mark to the last that is taken back, over restarts.
/// Method: marks over frames, of which a savepoint holds some.
class ReadOnlyMarksTest {
  private static final LedgerId LEDGER = Fixtures.ledger().params().ledgerId();
  private static final LedgerId OTHER = new LedgerId(Digest.ZERO);

  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private TestNotes notes = TestNotes.over(meta, () -> 0, _ -> Optional.empty());
  private ReadOnlyMarks marks;

  @BeforeEach
  void open() throws Exception {
    marks = ReadOnlyMarks.open(notes.rows(), notes);
    notes.replay();
  }

  private void restart(int saved) throws Exception {
    notes.savepoint(saved);
    notes = notes.reopened(meta);
    open();
  }

  private void mark(long size, String by) {
    assertThat(marks.markLater(LEDGER, size, by)).isCompletedWithValue(true);
  }

  private void assertSeen(long size) {
    assertThat(Objects.requireNonNull(marks.refusal(LEDGER)).limit()).hasValue(size);
    assertThat(marks.refusal(OTHER)).isNull();
  }

  @Test
  void theLargestSizeCountsUntilItsWitnessTakesItBack() throws Exception {
    assertThat(marks.refusal(LEDGER)).isNull();
    mark(7, "one");
    mark(9, "two");
    mark(8, "two");
    for (int saved : List.of(0, 1, 5)) {
      restart(saved);
      assertSeen(9);
    }
    assertThat(marks.lift(LEDGER, Optional.of("three"))).isFalse();
    assertThat(marks.lift(LEDGER, Optional.of("two"))).isTrue();
    restart(0);
    assertSeen(7);
    assertThat(marks.lift(LEDGER, Optional.of("one"))).isTrue();
    restart(1);
    assertThat(marks.refusal(LEDGER)).isNull();
    assertThat(marks.isEmpty()).isTrue();
  }

  @Test
  void theOperatorTakesAllBack() throws Exception {
    mark(7, "one");
    mark(9, "two");
    restart(1);
    assertThat(marks.lift(OTHER, Optional.empty())).isFalse();
    assertThat(marks.lift(LEDGER, Optional.empty())).isTrue();
    assertThat(marks.refusal(LEDGER)).isNull();
    assertThat(marks.lift(LEDGER, Optional.empty())).isFalse();
  }

  @Test
  void refusesNoName() {
    for (String name : List.of("", "n".repeat(1025))) {
      assertThatThrownBy(() -> marks.markLater(LEDGER, 1, name).get())
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOfSatisfying(
              RequestRejectedException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.MALFORMED));
    }
  }

  @Test
  void aRowOfAnotherWitnessIsDamage() throws Exception {
    mark(7, "one");
    notes.savepoint(1);
    MetaBatch batch = new MetaBatch();
    Bytes key = ReadOnlyRow.key(LEDGER, "one");
    batch.put(ReadOnlyRow.key(LEDGER, "two"), Objects.requireNonNull(meta.get(key)));
    meta.write(batch);
    notes = notes.reopened(meta);
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("another witness");
  }
}
