package io.tallystick.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every {@link Disk} must do.
public abstract class DiskContract {
  private static final int PAGE = 4096;

  private Disk disk;

  protected abstract Disk open() throws IOException;

  @BeforeEach
  void openDisk() throws IOException {
    disk = open();
  }

  @AfterEach
  void closeDisk() throws IOException {
    disk.close();
  }

  @Test
  void readsBackWhatWasWrittenAnywhere() throws IOException {
    try (DiskFile file = disk.open("a/b")) {
      file.write(5, text("hello"));
      file.force();
      assertThat(file.size()).isEqualTo(10);
      assertThat(read(file, 0, 10)).isEqualTo("\0\0\0\0\0hello");
      assertThat(read(file, 7, 100)).isEqualTo("llo");
      assertThat(read(file, 10, 1)).isEmpty();
      assertThat(read(file, 1000, 1)).isEmpty();
    }
  }

  @Test
  void opensAFileThatIsThereAndMakesNone() throws IOException {
    assertThat(disk.openIfThere("a/b")).isEmpty();
    assertThat(disk.exists("a/b")).isFalse();
    try (DiskFile file = disk.open("a/b")) {
      file.write(0, text("hello"));
    }
    try (DiskFile file = disk.openIfThere("a/b").orElseThrow()) {
      file.write(5, text("!"));
      assertThat(read(file, 0, 10)).isEqualTo("hello!");
    }
  }

  @Test
  void overwritesInPlace() throws IOException {
    try (DiskFile file = disk.open("f")) {
      file.write(0, text("abcdef"));
      file.write(2, text("XY"));
      assertThat(read(file, 0, 6)).isEqualTo("abXYef");
    }
  }

  @Test
  void writesOnlyTheRemainingBytesOfTheBufferAndConsumesThem() throws IOException {
    try (DiskFile file = disk.open("f")) {
      ByteBuffer buffer = text("abcdef").position(2).limit(4);
      file.write(0, buffer);
      assertThat(buffer.hasRemaining()).isFalse();
      assertThat(read(file, 0, 10)).isEqualTo("cd");
    }
  }

  @Test
  void punchesAHoleAndLeavesTheRest() throws IOException {
    try (DiskFile file = disk.open("f")) {
      byte[] ones = new byte[5 * PAGE];
      Arrays.fill(ones, (byte) 1);
      file.write(0, ByteBuffer.wrap(ones));
      file.punch(PAGE - 3, 2 * PAGE + 7);
      file.force();
      Arrays.fill(ones, PAGE - 3, 3 * PAGE + 4, (byte) 0);
      ByteBuffer all = ByteBuffer.allocate(6 * PAGE);
      assertThat(file.read(0, all)).isEqualTo(5 * PAGE);
      assertThat(Arrays.copyOf(all.array(), 5 * PAGE)).isEqualTo(ones);
    }
  }

  @Test
  void truncatesButNeverGrowsByIt() throws IOException {
    try (DiskFile file = disk.open("f")) {
      file.write(0, text("abcdef"));
      file.truncate(100);
      assertThat(file.size()).isEqualTo(6);
      file.truncate(2);
      assertThat(file.size()).isEqualTo(2);
      file.write(4, text("z"));
      assertThat(read(file, 0, 10)).isEqualTo("ab\0\0z");
    }
  }

  @Test
  void allocatesZerosBehindTheEndAndKeepsWhatIsThere() throws IOException {
    try (DiskFile file = disk.open("f")) {
      file.write(0, text("abc"));
      file.allocate(3_000_000);
      assertThat(file.size()).isEqualTo(3_000_000);
      assertThat(read(file, 0, 5)).isEqualTo("abc\0\0");
      assertThat(read(file, 2_999_990, 100)).isEqualTo("\0".repeat(10));
      file.allocate(10);
      assertThat(file.size()).isEqualTo(3_000_000);
    }
  }

  /// Long writes may take other ways to the disk, depending on where they lie in file and memory.
  @Seeded(runs = 3)
  void readsBackLongWritesAtAnyPlace(SplittableRandom random) throws IOException {
    byte[] expected = new byte[4 << 20];
    ByteBuffer memory = ByteBuffer.allocateDirect((1 << 20) + 2 * PAGE).alignedSlice(PAGE);
    disk.delete("long");
    try (DiskFile file = disk.open("long")) {
      file.allocate(expected.length);
      for (int i = 0; i < 24; i++) {
        int count = 1 + random.nextInt(1 << 20);
        int at = random.nextInt(expected.length - count);
        int offset = random.nextInt(4) == 0 ? random.nextInt(PAGE) : at % PAGE;
        byte[] content = new byte[count];
        random.nextBytes(content);
        memory.clear().position(offset).put(content).flip().position(offset);
        file.write(at, random.nextInt(8) == 0 ? ByteBuffer.wrap(content) : memory);
        System.arraycopy(content, 0, expected, at, count);
        if (random.nextInt(4) == 0) {
          file.force();
        }
      }
      file.force();
    }
    try (DiskFile file = disk.open("long")) {
      ByteBuffer read = ByteBuffer.allocate(expected.length + 1);
      assertThat(file.read(0, read)).isEqualTo(expected.length);
      assertThat(Arrays.copyOf(read.array(), expected.length)).isEqualTo(expected);
    }
  }

  @Test
  void listsElementNamesSorted() throws IOException {
    for (String name : new String[] {"d/y", "d/x", "d/sub/z", "dd", "a"}) {
      disk.open(name).close();
    }
    assertThat(disk.list("")).containsExactly("a", "d", "dd");
    assertThat(disk.list("d")).containsExactly("sub", "x", "y");
    assertThat(disk.list("nowhere")).isEmpty();
    assertThat(disk.exists("d/x")).isTrue();
    assertThat(disk.exists("d/q")).isFalse();
  }

  @Test
  void renamesOverAnExistingFile() throws IOException {
    write("new", "new");
    write("old", "old");
    disk.rename("new", "old");
    disk.forceDirectory("");
    assertThat(disk.list("")).containsExactly("old");
    try (DiskFile file = disk.open("old")) {
      assertThat(read(file, 0, 10)).isEqualTo("new");
    }
    assertThatThrownBy(() -> disk.rename("nothing", "old")).isInstanceOf(IOException.class);
  }

  @Test
  void deletesAFileOnceAndForAll() throws IOException {
    write("d/f", "x");
    disk.delete("d/f");
    disk.delete("d/f");
    disk.forceDirectory("d");
    assertThat(disk.exists("d/f")).isFalse();
    try (DiskFile file = disk.open("d/f")) {
      assertThat(file.size()).isZero();
    }
  }

  @Test
  void refusesNamesThatLeaveTheDirectory() {
    for (String name : new String[] {"", "/etc/x", "../x", "a/../../x", "a//b", "./a", "a/"}) {
      assertThatThrownBy(() -> disk.open(name))
          .as("name '%s'", name)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void refusesAClosedFile() throws IOException {
    DiskFile file = disk.open("f");
    file.close();
    assertThatThrownBy(() -> file.write(0, text("x"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> read(file, 0, 1)).isInstanceOf(IOException.class);
  }

  @Test
  void hasRoom() throws IOException {
    assertThat(disk.freeBytes()).isPositive();
  }

  private void write(String name, String content) throws IOException {
    try (DiskFile file = disk.open(name)) {
      file.write(0, text(content));
    }
  }

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  private static String read(DiskFile file, long position, int bytesMax) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(bytesMax);
    int count = file.read(position, into);
    assertThat(into.position()).isEqualTo(count);
    return new String(Arrays.copyOf(into.array(), count), UTF_8);
  }
}
