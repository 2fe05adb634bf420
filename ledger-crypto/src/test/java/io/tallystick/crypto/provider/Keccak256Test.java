package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Keccak256;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Digest;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.bouncycastle.crypto.digests.KeccakDigest;
import org.junit.jupiter.api.Test;

/// Core's Keccak-256 against Bouncy Castle's, and against values known to all of Ethereum.
final class Keccak256Test {
  @Test
  void hashesWhatEthereumPublishes() {
    assertThat(Keccak256.hash(new byte[0]).hex())
        .isEqualTo("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
    assertThat(Keccak256.hash("abc".getBytes(StandardCharsets.US_ASCII)).hex())
        .isEqualTo("4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45");
    assertThat(Keccak256.hash(new byte[] {(byte) 0x80})).isEqualTo(SealLeaf.EMPTY_CLUE_ROOT);
  }

  /// Every length up to beyond four blocks, so each place of the padding, at odd offsets.
  @Test
  void agreesWithBouncyCastleAtEveryLength() {
    Random random = new Random(5);
    byte[] array = new byte[600];
    random.nextBytes(array);
    for (int length = 0; length <= 560; length++) {
      int offset = random.nextInt(array.length - length + 1);
      byte[] got = new byte[Digest.BYTES + 3];
      Keccak256.hash(array, offset, length, got, 3);
      assertThat(Digest.of(got, 3)).as("%d bytes", length).isEqualTo(oracle(array, offset, length));
    }
  }

  @Test
  void hashesIntoTheArrayItReads() {
    byte[] array =
        "hashed in place, by the same hasher, again and again".getBytes(StandardCharsets.US_ASCII);
    Keccak256 hasher = new Keccak256();
    for (int i = 0; i < 5; i++) {
      Digest want = oracle(array, 0, array.length);
      hasher.digest(array, 0, array.length, array, 1);
      assertThat(Digest.of(array, 1)).isEqualTo(want);
    }
  }

  @Test
  void refusesPlacesOutsideTheArrays() {
    byte[] array = new byte[40];
    assertThatThrownBy(() -> Keccak256.hash(array, 1, 40, array, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Keccak256.hash(array, 0, 40, array, 9))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static Digest oracle(byte[] array, int offset, int length) {
    KeccakDigest oracle = new KeccakDigest(256);
    oracle.update(array, offset, length);
    byte[] digest = new byte[Digest.BYTES];
    oracle.doFinal(digest, 0);
    return Digest.of(digest);
  }
}
