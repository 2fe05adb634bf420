package io.tallystick.client.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.durable.LocalFileSteps;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.CrashingFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a crash at any step leaves the old head or the new one, damage is never taken for a crash,
/// and whoever else replaces the file is noticed. Method: heads of all lengths against a file
/// system that loses power at each step in turn, and against the real one.
class HeadFileTest {
  private static final int VERSIONS = 12;
  private static final int SEEDS = 60;
  private static final Path DIRECTORY = Path.of("trust");
  private static final String NAME = "head-0";

  @TempDir private Path directory;

  /// One to three sectors, now and then too long for a slot.
  private static Bytes version(int number) {
    int bytes = number % 7 == 6 ? HeadSlots.CONTENT_BYTES_MAX + 1 : 100 + 450 * (number % 3);
    byte[] content = new byte[bytes];
    new SplittableRandom(number).nextBytes(content);
    content[0] = (byte) 0xd2;
    return Bytes.wrap(content);
  }

  /// The last version that is known to be durable, or -1.
  private static int write(CrashingFiles files) throws MalformedException {
    HeadFile file = new HeadFile(files, DIRECTORY, NAME);
    Optional<Bytes> expected = Optional.empty();
    for (int number = 0; number < VERSIONS; number++) {
      try {
        assertThat(file.replace(expected, version(number))).isTrue();
      } catch (IOException e) {
        return number - 1;
      }
      expected = Optional.of(version(number));
    }
    return VERSIONS - 1;
  }

  @Test
  void holdsTheOldOrTheNewHeadAfterACrashAtAnyStep() throws Exception {
    CrashingFiles clean = new CrashingFiles(Integer.MAX_VALUE, new SplittableRandom(0));
    assertThat(write(clean)).isEqualTo(VERSIONS - 1);
    for (int seed = 0; seed < SEEDS; seed++) {
      for (int crashAt = 0; crashAt < clean.steps(); crashAt++) {
        CrashingFiles files = new CrashingFiles(crashAt, new SplittableRandom(seed));
        int acknowledged = write(files);
        Optional<Bytes> old =
            acknowledged < 0 ? Optional.empty() : Optional.of(version(acknowledged));
        assertThat(headIn(files.afterCrash(DIRECTORY.resolve(NAME))))
            .as("crash at step %d, seed %d", crashAt, seed)
            .isIn(old, Optional.of(version(acknowledged + 1)));
      }
    }
  }

  private static Optional<Bytes> headIn(Optional<byte[]> file) throws MalformedException {
    if (file.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        HeadSlots.isSlots(file.get())
            ? HeadSlots.newest(file.get()).content()
            : Bytes.copyOf(file.get()));
  }

  @Test
  void goesOnAfterAWriteThatWasCutOff() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      byte[] file = HeadSlots.first(version(1)).toArray();
      overwrite(file, HeadSlots.newest(file).next(version(2)), 8);
      overwrite(file, HeadSlots.newest(file).next(version(1)), 8);
      // Of three sectors, some arrive.
      overwrite(file, HeadSlots.newest(file).next(version(2)), 1 + seed % 6);
      HeadSlots found = HeadSlots.newest(file);
      assertThat(found.sequence()).isEqualTo(3);
      assertThat(found.content()).isEqualTo(version(1));
      overwrite(file, found.next(version(0)), 7);
      assertThat(HeadSlots.newest(file).content()).isEqualTo(version(0));
    }
  }

  /// @param sectors bit i: sector i arrives
  private static void overwrite(byte[] file, HeadSlots.Write write, int sectors) {
    byte[] part = write.sectors().unsafeArray();
    for (int at = 0; at < part.length; at += HeadSlots.SECTOR_BYTES) {
      if (sectors == 8 || (sectors >> (at / HeadSlots.SECTOR_BYTES) & 1) == 1) {
        System.arraycopy(part, at, file, write.position() + at, HeadSlots.SECTOR_BYTES);
      }
    }
  }

  @Test
  void reportsEveryFlippedBitOfEitherSlotAndNeverFallsBack() throws Exception {
    byte[] file = HeadSlots.first(version(2)).toArray();
    overwrite(file, HeadSlots.newest(file).next(version(1)), 8);
    for (int at = 0; at < file.length; at++) {
      for (int bit = 0; bit < 8; bit += 3) {
        byte[] damaged = file.clone();
        damaged[at] ^= (byte) (1 << bit);
        if (HeadSlots.isSlots(damaged)) {
          assertThatThrownBy(() -> HeadSlots.newest(damaged))
              .as("bit %d of byte %d", bit, at)
              .isInstanceOf(MalformedException.class);
        }
      }
    }
  }

  @Test
  void refusesASlotThatStandsInTheOthersPlaceOrBelongsToAnotherTime() throws Exception {
    byte[] first = HeadSlots.first(version(0)).toArray();
    byte[] copied = first.clone();
    System.arraycopy(first, 0, copied, HeadSlots.SLOT_BYTES, HeadSlots.SLOT_BYTES);
    assertThatThrownBy(() -> HeadSlots.newest(copied)).isInstanceOf(MalformedException.class);

    byte[] later = first.clone();
    HeadSlots.Write fifth = new HeadSlots(4, 0, version(0)).next(version(1));
    overwrite(later, fifth, 8);
    assertThatThrownBy(() -> HeadSlots.newest(later))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("1 and 5");
    assertThatThrownBy(() -> HeadSlots.newest(Arrays.copyOf(first, 8191)))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void readsABareStatementAndTurnsItIntoSlots() throws Exception {
    Files.write(directory.resolve(NAME), version(0).toArray());
    try (HeadFile file = new HeadFile(new LocalFileSteps(), directory, NAME)) {
      assertThat(file.read()).contains(version(0));
      assertThat(file.replace(Optional.of(version(0)), version(1))).isTrue();
      assertThat(file.replace(Optional.of(version(1)), version(2))).isTrue();
      assertThat(file.read()).contains(version(2));
    }
    assertThat(Files.size(directory.resolve(NAME))).isEqualTo(HeadSlots.FILE_BYTES);
  }

  @Test
  void noticesThatAnotherProcessHasMovedTheHead() throws Exception {
    try (HeadFile mine = new HeadFile(new LocalFileSteps(), directory, NAME);
        HeadFile other = new HeadFile(new LocalFileSteps(), directory, NAME)) {
      assertThat(mine.replace(Optional.empty(), version(0))).isTrue();
      assertThat(mine.replace(Optional.of(version(0)), version(1))).isTrue();
      assertThat(other.replace(Optional.of(version(1)), version(2))).isTrue();
      assertThat(mine.replace(Optional.of(version(1)), version(3))).isFalse();
      assertThat(mine.adopt()).contains(version(2));
      // Too long for a slot: now it is another file of the same name.
      assertThat(other.replace(Optional.of(version(2)), version(6))).isTrue();
      assertThat(mine.replace(Optional.of(version(2)), version(3))).isFalse();
      assertThat(mine.adopt()).contains(version(6));
      Files.delete(directory.resolve(NAME));
      assertThat(mine.adopt()).isEmpty();
    }
  }
}
