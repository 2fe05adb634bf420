package io.tallystick.server.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.state.StateValue;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Goal: copies of values are found by key and journal, and by nothing else; erased ones are zeros;
/// no changed byte makes another value of one. Method: files of 0 to 100 values of all sizes.
class ValueCopiesTest {
  private static final String NAME = "images/values";
  private static final StrandId STRAND = new StrandId(new LedgerId(Digest.ZERO), 0);
  private static final long HEIGHT = 7;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final SortedMap<StateEntry, StateValue> written =
      new TreeMap<>((one, other) -> one.key().compareTo(other.key()));

  private void write(int count) throws Exception {
    disk.delete(NAME);
    written.clear();
    for (int i = 0; i < count; i++) {
      Digest opening = Digest.of(Fixtures.bytes32("opening " + i).toArray());
      StateValue value = new StateValue(opening, Bytes.utf8("v".repeat(i % 40) + i));
      Bytes key = Bytes.utf8("key " + "k".repeat(i % 30) + i);
      written.put(StateEntry.put(key, value.commit(), value.value().size(), new Jsn(i)), value);
    }
    try (ValueCopies.Writer writer = new ValueCopies.Writer(disk, NAME, STRAND, HEIGHT)) {
      for (StateEntry entry : written.keySet()) {
        writer.add(entry, written.get(entry));
      }
      writer.finish();
    }
  }

  private ValueCopies open() throws Exception {
    return ValueCopies.open(disk, NAME, STRAND, HEIGHT);
  }

  private static Optional<StateValue> find(ValueCopies copies, StateEntry entry) throws Exception {
    return copies.find(entry.key(), entry.jsn().value());
  }

  @Test
  void findsEachByKeyAndJournal() throws Exception {
    for (int count : new int[] {0, 1, 15, 16, 17, 32, 33, 100}) {
      write(count);
      try (ValueCopies copies = open()) {
        for (StateEntry entry : written.keySet()) {
          assertThat(find(copies, entry))
              .as("%d of %d", entry.jsn().value(), count)
              .contains(written.get(entry));
          assertThat(copies.find(entry.key(), entry.jsn().value() + 1)).isEmpty();
          assertThat(copies.find(Bytes.utf8("key"), entry.jsn().value())).isEmpty();
          assertThat(copies.find(Bytes.utf8("zzz"), entry.jsn().value())).isEmpty();
        }
      }
    }
  }

  @Test
  void erasesWhatSomeJournalsWrote() throws Exception {
    write(50);
    try (ValueCopies copies = open()) {
      copies.erase(jsn -> jsn % 3 == 0);
    }
    try (ValueCopies copies = open()) {
      for (StateEntry entry : written.keySet()) {
        StateValue found = find(copies, entry).orElseThrow();
        if (entry.jsn().value() % 3 == 0) {
          assertThat(found.opening()).isEqualTo(Digest.ZERO);
          assertThat(found.value()).isEqualTo(Bytes.wrap(new byte[found.value().size()]));
        } else {
          found.verify(entry);
        }
      }
    }
  }

  @Test
  void noChangedByteMakesAnotherValue() throws Exception {
    write(20);
    try (DiskFile file = disk.open(NAME)) {
      for (long at = 0; at < file.size(); at++) {
        flip(file, at);
        for (StateEntry entry : written.keySet()) {
          try (ValueCopies copies = open()) {
            StateValue found = find(copies, entry).orElseThrow();
            assertThat(found.equals(written.get(entry)) || !found.commit().equals(commit(entry)))
                .as("byte %d", at)
                .isTrue();
          } catch (CorruptStreamException _) {
            // It is noticed.
          }
        }
        flip(file, at);
      }
    }
    assertThatThrownBy(() -> ValueCopies.open(disk, NAME, STRAND, HEIGHT + 1))
        .isInstanceOf(CorruptStreamException.class);
    disk.delete(NAME);
    assertThatThrownBy(this::open).isInstanceOf(CorruptStreamException.class);
    assertThat(disk.exists(NAME)).isFalse();
  }

  /// The table has no checksum: wherever it leads, no value is said to be missing.
  @Test
  void aTableThatLeadsElsewhereHidesNoValue() throws Exception {
    write(100);
    List<Long> positions = new ArrayList<>();
    long end = 60;
    for (StateEntry entry : written.keySet()) {
      positions.add(end);
      end += 18 + entry.key().size() + 32 + entry.valueSizeBytes();
    }
    try (DiskFile file = disk.open(NAME)) {
      for (int index = 0; index < 7; index++) {
        long at = end + 8L * index;
        ByteBuffer was = ByteBuffer.allocate(8);
        assertThat(file.read(at, was)).isEqualTo(8);
        for (long position : positions) {
          file.write(at, ByteBuffer.allocate(8).putLong(position).flip());
          try (ValueCopies copies = open()) {
            for (StateEntry entry : written.keySet()) {
              assertFoundOrNoticed(copies, entry);
            }
          }
        }
        file.write(at, was.flip());
      }
    }
  }

  private void assertFoundOrNoticed(ValueCopies copies, StateEntry entry) throws Exception {
    try {
      assertThat(find(copies, entry)).contains(written.get(entry));
    } catch (CorruptStreamException e) {
      assertThat(e).hasMessageContaining("table");
    }
  }

  private static Digest commit(StateEntry entry) {
    return entry.valueCommit().orElseThrow();
  }

  private static void flip(DiskFile file, long at) throws Exception {
    ByteBuffer one = ByteBuffer.allocate(1);
    assertThat(file.read(at, one)).isEqualTo(1);
    file.write(at, ByteBuffer.wrap(new byte[] {(byte) (one.get(0) ^ 1)}));
  }
}
