package io.tallystick.audit.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Digest;
import org.junit.jupiter.api.Test;

/// Goal: a run hands on the hashes that its source made of leaves, and tells which those are,
/// however often it is filled again. Method: a run by itself.
class EntryRunTest {
  @Test
  void aRunTellsWhichLeavesItsSourceHashed() {
    byte[] hash = new byte[Digest.BYTES];
    hash[0] = 7;
    EntryRun run = new EntryRun();
    for (int i = 0; i < 600; i++) {
      run.begin(0);
      if (i % 2 == 1) {
        hash[1] = (byte) i;
        run.hashed(hash, 0);
      }
      for (int field = 0; field < 5; field++) {
        run.field(0);
      }
      run.end(BodyState.NONE);
    }
    assertThat(run.isHashed(598)).isFalse();
    EntryRun next = new EntryRun();
    next.takeLast(run);
    assertThat(next.isHashed(0)).isTrue();
    assertThat(next.leafHashes()[1]).isEqualTo((byte) 599);
    assertThat(run.leafHashes()[597 * Digest.BYTES + 1]).isEqualTo((byte) 597);
    next.clear();
    next.begin(0);
    assertThat(next.isHashed(0)).isFalse();
  }
}
