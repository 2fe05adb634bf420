package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a hash or salt that comes twice in a batch is found, wherever, and no other. Method:
/// batches of all sizes with and without a double, of values that agree in all words but one.
class DistinctDigestsTest {
  private static Digest differingInWord(int word, long value) {
    byte[] bytes = new byte[Digest.BYTES];
    for (int i = 0; i < Long.BYTES; i++) {
      bytes[word * Long.BYTES + i] = (byte) (value >>> (56 - 8 * i));
    }
    return Digest.of(bytes);
  }

  @Test
  void findsExactlyTheDoubleOneOfEveryBatch() {
    SplittableRandom random = new SplittableRandom(1);
    for (int count = 1; count < 300; count++) {
      List<Digest> digests = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        digests.add(differingInWord(count % 4, i + 1));
      }
      assertThat(DistinctDigests.areDistinct(digests)).as("%d of them", count).isTrue();
      Digest twice = digests.get(random.nextInt(count));
      digests.add(random.nextInt(count + 1), Digest.of(twice.toArray()));
      assertThat(DistinctDigests.areDistinct(digests)).as("%d and one again", count).isFalse();
    }
  }

  @Test
  void takesTheLargestBatch() {
    List<Digest> digests = new ArrayList<>();
    for (int i = 0; i < Limits.BATCH_COUNT_MAX; i++) {
      digests.add(differingInWord(3, (long) i << 40));
    }
    assertThat(DistinctDigests.areDistinct(digests)).isTrue();
  }
}
