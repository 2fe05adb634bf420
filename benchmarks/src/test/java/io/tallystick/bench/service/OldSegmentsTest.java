package io.tallystick.bench.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a long run gets its room from segments that nobody reads, and from nothing else. Method:
/// files of ones; those whose space was taken read as zeros.
class OldSegmentsTest {
  private static final int BYTES = 1 << 20;

  @TempDir private Path stream;

  @Test
  void takesTheSpaceOfAllButTheNewestThree() throws Exception {
    for (int i = 0; i < 5; i++) {
      ones(stream.resolve("0000000" + i + ".seg"));
    }
    ones(stream.resolve("spare.seg"));
    ones(stream.resolve("EPOCH"));
    OldSegments old = new OldSegments(stream);
    old.empty();
    assertThat(old.bytes()).isEqualTo(2 * BYTES);
    assertThat(zeros(stream.resolve("00000000.seg"))).isEqualTo(BYTES);
    assertThat(zeros(stream.resolve("00000001.seg"))).isEqualTo(BYTES);
    for (String kept :
        new String[] {"00000002.seg", "00000003.seg", "00000004.seg", "spare.seg", "EPOCH"}) {
      assertThat(zeros(stream.resolve(kept))).as(kept).isZero();
    }
    old.empty();
    assertThat(old.bytes()).as("counted once").isEqualTo(2 * BYTES);
  }

  private static void ones(Path file) throws Exception {
    byte[] bytes = new byte[BYTES];
    Arrays.fill(bytes, (byte) 1);
    Files.write(file, bytes);
  }

  private static int zeros(Path file) throws Exception {
    int zeros = 0;
    for (byte each : Files.readAllBytes(file)) {
      zeros += each == 0 ? 1 : 0;
    }
    return zeros;
  }
}
