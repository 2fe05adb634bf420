package io.tallystick.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/// Goal: the operator hears of each damaged place and of each failure once, however often it is
/// read, and of a bounded number of them.
class ReadFaultsTest {
  private static final StrandId STRAND = Fixtures.ledger().strand();

  private final List<String> lines = new ArrayList<>();
  private final ReadFaults faults;

  ReadFaultsTest() throws Exception {
    Disk disk = new InMemoryDisk();
    LocalStreamStore streams =
        LocalStreamStore.openDeterministic(
            disk, "stream", StreamSettings.DEFAULT, new java.util.Random(1));
    faults = new ReadFaults(new StoredBlocks(streams.openReader(new StreamId(0))), lines::add);
  }

  private void meet(String file, long offset) {
    CorruptStreamException place = new CorruptStreamException(file, offset, "wrong");
    faults.damaged(STRAND, LogReader.damaged(4, "it is wrong", place));
  }

  @Test
  void tellsEachPlaceOnce() {
    meet("a", 1);
    meet("a", 1);
    meet("a", 2);
    meet("b", 1);
    assertThat(lines)
        .hasSize(3)
        .first()
        .isEqualTo(
            String.format(
                Locale.ROOT,
                "damaged bytes in a at 1: journal 4 is damaged: it is wrong (ledger %s)",
                STRAND.ledger()));
  }

  @Test
  void tellsWhatHasNoPlaceByItsWords() {
    RequestRejectedException damage = new RequestRejectedException(RejectionCode.DAMAGED, "gone");
    faults.damaged(STRAND, damage);
    faults.damaged(STRAND, damage);
    assertThat(lines)
        .containsExactly(String.format(Locale.ROOT, "gone (ledger %s)", STRAND.ledger()));
  }

  /// The message names the row that was asked for, the cause what is wrong with the file.
  @Test
  void tellsEachFailureOfTheDiskOnce() {
    IOException why = new IOException("block checksum mismatch in 000012.sst offset 0");
    RequestRejectedException answer = faults.failed(new IOException("row 1: " + why, why));
    var _ = faults.failed(new IOException("row 2: " + why, why));
    assertThat(answer.code()).isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(answer).hasMessageStartingWith("the disk failed: row 1: ");
    assertThat(lines).singleElement().asString().contains("000012.sst");
    var _ = faults.failed(new IOException("another"));
    assertThat(lines).hasSize(2).last().isEqualTo("the disk failed a read: another");
  }

  @Test
  void remembersABoundedNumber() {
    for (int i = 0; i < ReadFaults.TOLD_MAX + 10; i++) {
      meet("a", i);
    }
    meet("a", 0);
    assertThat(lines).hasSize(ReadFaults.TOLD_MAX + 1).last().asString().contains("no further");
  }
}
