package io.tallystick.storage.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Cold files are made in the cold directory, all others in the other one; and each of the two is
/// used with the other alone.
class TieredDiskTest {
  private final InMemoryDisk hot = new InMemoryDisk();
  private final InMemoryDisk cold = new InMemoryDisk();

  private static TieredDisk open(Disk hot, Disk cold) throws IOException {
    return TieredDisk.open(
        hot, cold, "data", name -> name.endsWith(".cold"), new SplittableRandom(4));
  }

  private static void write(Disk disk, String name) throws IOException {
    try (DiskFile file = disk.open(name)) {
      file.write(0, ByteBuffer.wrap(new byte[] {7}));
      file.force();
    }
  }

  @Test
  void eachFileIsMadeWhereItBelongs() throws Exception {
    TieredDisk disk = open(hot, cold);
    for (String name : new String[] {"data/a/1.cold", "data/1.hot", "other/2.cold", "3"}) {
      assertThat(disk.exists(name)).isFalse();
      write(disk, name);
      assertThat(disk.exists(name)).isTrue();
    }
    assertThat(cold.names()).containsExactlyInAnyOrder(TieredDisk.MARK, "data/a/1.cold");
    assertThat(hot.names())
        .containsExactlyInAnyOrder(TieredDisk.MARK, "data/1.hot", "other/2.cold", "3");
    assertThat(disk.list("data")).containsExactly("1.hot", "a");
    assertThat(disk.list("data/a")).containsExactly("1.cold");
    disk.delete("data/a/1.cold");
    assertThat(disk.list("data/a")).isEmpty();
    assertThat(cold.names()).containsExactly(TieredDisk.MARK);
  }

  @Test
  void whatIsInTheOtherDirectoryStaysThere() throws Exception {
    write(hot, "data/old.cold");
    TieredDisk disk = open(hot, cold);
    write(disk, "data/new.cold");
    assertThat(disk.list("data")).containsExactly("new.cold", "old.cold");
    try (DiskFile file = disk.open("data/old.cold")) {
      assertThat(file.size()).isOne();
    }
    assertThat(cold.exists("data/old.cold")).isFalse();
    disk.rename("data/new.cold", "data/newer.cold");
    assertThat(cold.exists("data/newer.cold")).isTrue();
    assertThatThrownBy(() -> disk.rename("data/old.cold", "data/older.cold"))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> disk.rename("data/newer.cold", "data/newer.hot"))
        .isInstanceOf(IOException.class);
    disk.delete("data/old.cold");
    assertThat(disk.exists("data/old.cold")).isFalse();
  }

  @Test
  void eachIsUsedWithTheOtherAlone() throws Exception {
    assertThat(TieredDisk.isHot(hot)).isFalse();
    write(open(hot, cold), "data/1.cold");
    assertThat(TieredDisk.isHot(hot)).isTrue();
    write(open(hot, cold), "data/2.cold");
    assertThatThrownBy(() -> open(hot, new InMemoryDisk()))
        .as("not mounted")
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cold.id is missing, want ");
    InMemoryDisk foreign = new InMemoryDisk();
    write(foreign, TieredDisk.MARK);
    assertThatThrownBy(() -> open(hot, foreign)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> open(new InMemoryDisk(), cold))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another data directory");
  }

  @Test
  void aMarkThatWasNotWrittenWholeIsWrittenAgain() throws Exception {
    write(cold, TieredDisk.MARK);
    write(hot, TieredDisk.MARK);
    open(hot, cold);
    write(open(hot, cold), "data/1.cold");
    assertThat(hot.content(TieredDisk.MARK)).isEqualTo(cold.content(TieredDisk.MARK)).hasSize(32);
  }
}
