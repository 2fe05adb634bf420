package io.tallystick.bench.service;

import io.tallystick.client.JournalDraft;
import io.tallystick.model.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// Random payloads at little cost: pieces of one random pool, each from a random place and with a
/// random number at its start, so that no two are alike. Not thread-safe.
final class Payloads {
  private static final byte[] POOL = pool();
  private static final String CONTENT_TYPE = "application/octet-stream";

  private final SplittableRandom random;

  Payloads(long seed) {
    random = new SplittableRandom(seed);
  }

  private static byte[] pool() {
    byte[] bytes = new byte[1 << 22];
    new SplittableRandom(1).nextBytes(bytes);
    return bytes;
  }

  /// @param bytes of each payload, 8 to 4 MiB − 1
  List<JournalDraft> drafts(int bytes, int count) {
    List<JournalDraft> drafts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int from = random.nextInt(POOL.length - bytes);
      byte[] payload = Arrays.copyOfRange(POOL, from, from + bytes);
      long number = random.nextLong();
      for (int k = 0; k < Long.BYTES; k++) {
        payload[k] = (byte) (number >>> (8 * k));
      }
      drafts.add(JournalDraft.of(Bytes.wrap(payload), CONTENT_TYPE));
    }
    return drafts;
  }
}
