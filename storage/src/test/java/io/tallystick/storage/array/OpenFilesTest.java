package io.tallystick.storage.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/// The pool of open files keeps its bound, and neither loses an unforced write nor goes on after a
/// failed force.
class OpenFilesTest {
  private final WatchedDisk disk = new WatchedDisk();

  @Test
  void neverHoldsMoreThanItMay() throws Exception {
    try (OpenFiles files = new OpenFiles(disk, 3)) {
      for (int i = 0; i < 100; i++) {
        files.write("f" + i * 7 % 10, 4L * (i / 10), bytes(i));
        assertThat(disk.openCount()).isLessThanOrEqualTo(3);
      }
      for (int i = 0; i < 100; i++) {
        ByteBuffer into = ByteBuffer.allocate(4);
        files.read("f" + i * 7 % 10, 4L * (i / 10), into);
        assertThat(into.getInt(0)).isEqualTo(i);
      }
    }
    assertThat(disk.openCount()).isZero();
  }

  @Test
  void closesTheFileNotUsedForLongest() throws Exception {
    try (OpenFiles files = new OpenFiles(disk, 2)) {
      files.size("a");
      files.size("b");
      files.size("a");
      files.size("c");
      assertThat(disk.events).containsExactly("close b");
    }
  }

  /// What was written before is answered for by a later force, though it is of another descriptor.
  @Test
  void forcesUnforcedWritesBeforeItCloses() throws Exception {
    try (OpenFiles files = new OpenFiles(disk, 1)) {
      files.write("a", 0, bytes(1));
      files.size("b");
      files.write("a", 4, bytes(2));
      files.force("a");
      files.size("b");
    }
    assertThat(disk.events)
        .containsExactly("force a", "close a", "close b", "force a", "close a", "close b");
  }

  @Test
  void writesNothingAfterAFailedForce() throws Exception {
    try (OpenFiles files = new OpenFiles(disk, 2)) {
      files.write("a", 0, bytes(1));
      files.write("b", 0, bytes(2));
      disk.forcesFail = true;
      assertThatThrownBy(() -> files.force("a")).hasMessage("the force fails");
      disk.forcesFail = false;
      assertThatThrownBy(() -> files.write("b", 4, bytes(3))).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> files.force("b")).isInstanceOf(IOException.class);
      ByteBuffer into = ByteBuffer.allocate(4);
      assertThat(files.read("b", 0, into)).as("reads go on").isEqualTo(4);
    }
  }

  @Test
  void anArrayTakesNoRowAfterAFailedSavepoint() throws Exception {
    ArrayStore store =
        new ArrayStore(disk, new InMemoryMetaStore(), new ArrayLimits(0, 1 << 16, 1));
    AppendArray array = store.open(Rows.ID, 32);
    array.append(new byte[32], 0, 1);
    disk.forcesFail = true;
    MetaBatch batch = new MetaBatch();
    assertThatThrownBy(() -> array.savepoint(batch)).isInstanceOf(IOException.class);
    assertThat(batch.isEmpty()).as("nothing to commit").isTrue();
    disk.forcesFail = false;
    assertThatThrownBy(() -> array.append(new byte[32], 0, 1))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> array.savepoint(batch)).isInstanceOf(IllegalStateException.class);
  }

  private static ByteBuffer bytes(int value) {
    return ByteBuffer.allocate(4).putInt(0, value);
  }
}
