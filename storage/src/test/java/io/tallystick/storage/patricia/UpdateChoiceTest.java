package io.tallystick.storage.patricia;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Keccak256;
import io.tallystick.model.Digest;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/// Goal: the decision model chooses what was measured or argued to be better. Method: batches of
/// evenly spread keys and of consecutive ones, for few and for many workers.
class UpdateChoiceTest {
  private static TrieBatch batch(boolean spread) {
    TrieBatch batch = new TrieBatch(1000);
    for (int number = 0; number < 1000; number++) {
      byte[] key = ByteBuffer.allocate(Digest.BYTES).putInt(Digest.BYTES - 4, number).array();
      batch.put(spread ? Keccak256.hash(key).toArray() : key, 0, new byte[38]);
    }
    return batch;
  }

  @Test
  void locksForKeysThatSeldomMeet() {
    assertThat(UpdateChoice.of(batch(true), 2)).isEqualTo(UpdateWay.LOCK_NU);
    assertThat(UpdateChoice.of(batch(true), 64)).isEqualTo(UpdateWay.LOCK_NU);
  }

  @Test
  void goesByPhasesWhereManyWorkersMeet() {
    assertThat(UpdateChoice.of(batch(false), 2)).isEqualTo(UpdateWay.LOCK_NU);
    assertThat(UpdateChoice.of(batch(false), 8)).isEqualTo(UpdateWay.PHASE_NU);
  }
}
