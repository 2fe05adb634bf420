package io.tallystick.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Bytes;
import io.tallystick.testkit.CrashingFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// The file is replaced ten times while power is lost at every step of it in turn, many times over
/// with other fates of what was not forced: what is found is always one of the whole contents, and
/// never one older than the last that `replace` returned for.
class DurableFileTest {
  private static final int VERSIONS = 10;
  private static final int SEEDS = 50;
  private static final Path DIRECTORY = Path.of("trust");

  private static Bytes version(int number) {
    return Bytes.utf8("version " + number + " ".repeat(number * 7) + "end");
  }

  /// The last version that is known to be durable, or -1.
  private static int write(CrashingFiles files) {
    DurableFile file = new DurableFile(files, DIRECTORY, "head-0");
    for (int number = 0; number < VERSIONS; number++) {
      try {
        file.replace(version(number));
      } catch (IOException e) {
        return number - 1;
      }
    }
    return VERSIONS - 1;
  }

  @Test
  void holdsTheOldOrTheNewContentAfterACrashAtAnyStep() {
    CrashingFiles clean = new CrashingFiles(Integer.MAX_VALUE, new SplittableRandom(0));
    assertThat(write(clean)).isEqualTo(VERSIONS - 1);
    assertThat(clean.steps()).isEqualTo(4 * VERSIONS);
    for (int seed = 0; seed < SEEDS; seed++) {
      for (int crashAt = 0; crashAt < clean.steps(); crashAt++) {
        CrashingFiles files = new CrashingFiles(crashAt, new SplittableRandom(seed));
        int acknowledged = write(files);
        Optional<Bytes> found = files.afterCrash(DIRECTORY.resolve("head-0")).map(Bytes::wrap);
        Optional<Bytes> old =
            acknowledged < 0 ? Optional.empty() : Optional.of(version(acknowledged));
        assertThat(found)
            .as("crash at step %d, seed %d", crashAt, seed)
            .isIn(old, Optional.of(version(acknowledged + 1)));
      }
    }
  }
}
