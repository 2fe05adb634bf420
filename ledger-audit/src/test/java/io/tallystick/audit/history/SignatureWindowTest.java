package io.tallystick.audit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Digest;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a signature is known exactly as long as its window is open, in bounded memory. Method: a
/// hash map beside it, and a bound that is passed.
class SignatureWindowTest {
  private static final long SEED = 7;

  private record Use(long jsn, long expiresMs) {}

  @Test
  void knowsASignatureUntilItsWindowHasPassed() throws Exception {
    SignatureWindow window = new SignatureWindow(10);
    Digest id = Digest.fromHex("11".repeat(32));
    window.add(id, 5, 100, 50);
    assertThat(window.find(id, 100)).hasValue(5);
    assertThat(window.find(id, 101)).isEmpty();
    window.add(id, 9, 200, 101);
    assertThat(window.find(id, 200)).hasValue(9);
  }

  @Test
  void agreesWithAMapWhileTimePasses() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    SignatureWindow window = new SignatureWindow(100_000);
    Map<Digest, Use> map = new HashMap<>();
    long now = 0;
    for (int i = 0; i < 50_000; i++) {
      now += random.nextInt(3);
      Digest id = id(random.nextInt(20_000));
      Use known = map.get(id);
      if (known != null && known.expiresMs >= now) {
        assertThat(window.find(id, now)).hasValue(known.jsn);
      } else {
        assertThat(window.find(id, now)).isEmpty();
        Use use = new Use(i, now + random.nextInt(5_000));
        map.put(id, use);
        window.add(id, use.jsn, use.expiresMs, now);
      }
    }
  }

  @Test
  void refusesMoreOpenSignaturesThanItsBoundButForgetsExpiredOnes() throws Exception {
    SignatureWindow window = new SignatureWindow(1_000);
    for (int i = 0; i < 100_000; i++) {
      window.add(id(i), i, i + 10, i);
    }
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 10_000; i++) {
                window.add(id(i), i, Long.MAX_VALUE - 1, 200_000);
              }
            })
        .isInstanceOf(AuditLimitException.class);
  }

  private static Digest id(int number) {
    return Sha256.hash(Integer.toString(number).getBytes(StandardCharsets.UTF_8));
  }
}
