package io.tallystick.testkit.fault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.contract.DiskContract;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// The crashing disk is a good disk until it crashes, and then loses what a disk may lose, no more.
class CrashingDiskTest extends DiskContract {
  private static final byte[] OLD = "o".repeat(2000).getBytes(UTF_8);
  private static final int DRAWS_MAX = 1_000_000;
  private static final byte[] NEW = "n".repeat(2000).getBytes(UTF_8);

  @Override
  protected Disk open() {
    return new CrashingDisk(CrashPlan.never());
  }

  @Test
  void countsChangesButNotReads() throws IOException {
    CrashPlan plan = CrashPlan.never();
    CrashingDisk disk = new CrashingDisk(plan);
    DiskFile file = disk.open("f"); // 0
    file.write(0, ByteBuffer.wrap(OLD)); // 1
    file.force(); // 2
    disk.forceDirectory(""); // 3
    file.read(0, ByteBuffer.allocate(9));
    disk.open("f").size();
    disk.list("");
    assertThat(plan.operations()).isEqualTo(4);
  }

  @Seeded
  void losesAnythingUnforcedAndNothingForced(SplittableRandom random) throws IOException {
    Set<String> outcomes = new HashSet<>();
    for (int i = 0; i < 3000 || (outcomes.size() < 16 && i < DRAWS_MAX); i++) {
      CrashPlan plan = CrashPlan.at(5, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      DiskFile file = disk.open("f");
      file.write(0, ByteBuffer.wrap(OLD));
      file.force();
      disk.forceDirectory("");
      file.write(0, ByteBuffer.wrap(NEW)); // operation 4, not forced
      assertThatThrownBy(file::force).isInstanceOf(CrashedException.class);
      assertThatThrownBy(file::size).isInstanceOf(CrashedException.class);
      outcomes.add(sectors(disk.afterCrash().content("f")));
    }
    assertThat(outcomes).contains("oooo", "nnnn", "onoo", "nonn").hasSize(16);
  }

  @Seeded
  void losesNamesThatWereNotForced(SplittableRandom random) throws IOException {
    Set<String> outcomes = new HashSet<>();
    for (int i = 0; i < 200 || (outcomes.size() < 4 && i < DRAWS_MAX); i++) {
      CrashingDisk disk = new CrashingDisk(CrashPlan.at(100, random.split()));
      disk.open("a").close();
      disk.forceDirectory("");
      disk.rename("a", "b");
      disk.open("c").close();
      outcomes.add(String.join("", disk.afterCrash().names()));
    }
    assertThat(outcomes).containsExactlyInAnyOrder("a", "b", "ac", "bc");
  }

  @Test
  void keepsAFailedForceReadableButNotDurable() throws IOException {
    Set<String> outcomes = new HashSet<>();
    for (int seed = 0; seed < 30; seed++) {
      CrashingDisk disk = new CrashingDisk(CrashPlan.failForceAt(0, new SplittableRandom(seed)));
      DiskFile file = disk.open("f");
      file.write(0, ByteBuffer.wrap(NEW));
      assertThatThrownBy(file::force).hasMessage("force failed, by plan");
      file.force();
      disk.forceDirectory("");
      assertThat(sectors(disk.afterKill().content("f"))).isEqualTo("nnnn");
      String onDisk = sectors(disk.afterCrash().content("f"));
      assertThat(sectors(disk.afterCrash().content("f"))).isEqualTo(onDisk);
      outcomes.add(onDisk);
    }
    assertThat(outcomes).contains("----", "nnnn").hasSizeGreaterThan(3);
  }

  @Test
  void failsTwoForcesSoFarApart() throws IOException {
    CrashPlan plan = CrashPlan.failTwoForcesAt(1, 3, new SplittableRandom(1));
    DiskFile file = new CrashingDisk(plan).open("f"); // 0
    assertThatThrownBy(file::force).hasMessage("force failed, by plan");
    file.write(0, ByteBuffer.wrap(NEW)); // 2
    file.force();
    assertThat(plan.faults()).isEqualTo(1);
    assertThatThrownBy(file::force).hasMessage("force failed, by plan");
    file.force();
    assertThat(plan.faults()).isEqualTo(2);
  }

  @Test
  void runsFull() throws IOException {
    CrashingDisk disk = new CrashingDisk(CrashPlan.never());
    disk.limit(3000);
    DiskFile file = disk.open("f");
    file.write(0, ByteBuffer.wrap(OLD));
    assertThatThrownBy(() -> file.write(1500, ByteBuffer.wrap(NEW)))
        .isInstanceOf(DiskFullException.class);
    assertThatThrownBy(() -> file.allocate(3001)).isInstanceOf(DiskFullException.class);
    file.write(1000, ByteBuffer.wrap(NEW));
    assertThat(disk.freeBytes()).isZero();
  }

  @Test
  void goesOnFromWhatSurvived() throws IOException {
    InMemoryDisk base = new InMemoryDisk();
    base.open("f").write(0, ByteBuffer.wrap(OLD));
    CrashingDisk disk = new CrashingDisk(base, CrashPlan.never());
    disk.open("f").write(0, ByteBuffer.wrap(NEW));
    assertThat(sectors(base.content("f"))).isEqualTo("oooo");
    assertThat(sectors(disk.afterKill().content("f"))).isEqualTo("nnnn");
  }

  /// One letter for each of the four sectors; `-` for one that is not there.
  private static String sectors(byte[] content) {
    StringBuilder letters = new StringBuilder();
    for (int at = 0; at < OLD.length; at += 512) {
      letters.append(at < content.length && content[at] != 0 ? (char) content[at] : '-');
    }
    return letters.toString();
  }
}
