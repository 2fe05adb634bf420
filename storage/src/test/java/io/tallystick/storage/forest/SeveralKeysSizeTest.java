package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.head.LastSeal;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.state.LookupProof;
import io.tallystick.state.LookupsProof;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: one proof of many keys is small beside the proofs of each. Method: 100,000 random keys of
/// 32 bytes in one partition with the usual nodes, under a seal of a log of 32 leaves; the figures
/// of `docs/formats/forest.md`.
class SeveralKeysSizeTest {
  private static final int KEYS = 100_000;
  private static final LastSeal SEAL =
      new LastSeal(Bytes.wrap(new byte[152]), Collections.nCopies(5, Digest.ZERO));

  @Test
  void aHundredKeysTakeLessThanHalfOfTheBytesOfAHundredProofs() throws Exception {
    try (Workers workers = new Workers(2, "forest");
        Forests forests =
            Forests.open(
                new InMemoryDisk(), new InMemoryMetaStore(), workers, Forests.ALL_IN_SLOTS)) {
      StateForest engine = forests.forest(new StateParams(1 << 21, 1, 40, 32, 1));
      for (int block = 0; block < 10; block++) {
        engine.apply(block + 1, Forests.puts(block * KEYS / 10, KEYS / 10, 32, block + 2));
      }
      try (ForestReader reader = engine.version().open().orElseThrow()) {
        List<Long> percents = new ArrayList<>();
        for (int count : new int[] {2, 10, 100, 1_000}) {
          percents.add(percent(reader, count));
        }
        assertThat(percents).containsExactly(74L, 56L, 40L, 28L);
      }
    }
  }

  /// The bytes of one proof, in percent of those of a proof of each key.
  private static long percent(ForestReader reader, int count) throws Exception {
    List<Bytes> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add(Forests.key((long) i * (KEYS / count), 32));
    }
    keys.sort(null);
    StateLookups lookups = reader.several(keys, Long.MAX_VALUE).orElseThrow().lookups();
    long one = new LookupsProof(SEAL, keys, lookups).encode().size();
    long each = 0;
    for (Bytes key : keys) {
      each += new LookupProof(SEAL, key, reader.lookup(key)).encode().size();
    }
    return Math.round(100.0 * one / each);
  }
}
