package io.tallystick.crypto;

import io.tallystick.model.Digest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/// Keccak-256 as Ethereum uses it: rate 136 bytes, padding 0x01 (SHA3-256 of FIPS 202 pads with
/// 0x06, so the JDK's cannot be used). A hasher holds its state and is not thread-safe; it
/// allocates nothing per message.
///
/// Source: the Keccak reference, version 3.0, sections 1.2 and 2.1.1; submission to SHA-3 before
/// FIPS 202 changed the padding.
public final class Keccak256 {
  private static final int RATE_BYTES = 136;
  private static final int LANES = 25;
  private static final byte FIRST_PAD = 0x01;
  private static final long LAST_PAD = 0x80L << 56; // the rate's last byte

  private static final VarHandle LANE =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final ThreadLocal<Keccak256> OWN = ThreadLocal.withInitial(Keccak256::new);

  private static final long[] ROUND_CONSTANTS = {
    0x0000000000000001L, 0x0000000000008082L, 0x800000000000808aL,
    0x8000000080008000L, 0x000000000000808bL, 0x0000000080000001L,
    0x8000000080008081L, 0x8000000000008009L, 0x000000000000008aL,
    0x0000000000000088L, 0x0000000080008009L, 0x000000008000000aL,
    0x000000008000808bL, 0x800000000000008bL, 0x8000000000008089L,
    0x8000000000008003L, 0x8000000000008002L, 0x8000000000000080L,
    0x000000000000800aL, 0x800000008000000aL, 0x8000000080008081L,
    0x8000000000008080L, 0x0000000080000001L, 0x8000000080008008L
  };

  private final long[] state = new long[LANES];
  private final long[] other = new long[LANES];
  private final byte[] lastBlock = new byte[RATE_BYTES];

  public static Digest hash(byte[] message) {
    byte[] digest = new byte[Digest.BYTES];
    hash(message, 0, message.length, digest, 0);
    return Digest.of(digest);
  }

  /// As {@link #digest}, with this thread's hasher.
  public static void hash(byte[] array, int offset, int length, byte[] target, int targetOffset) {
    OWN.get().digest(array, offset, length, target, targetOffset);
  }

  /// Hashes a part of an array into 32 bytes of `target`, which may be the same array.
  public void digest(byte[] array, int offset, int length, byte[] target, int targetOffset) {
    Objects.checkFromIndexSize(offset, length, array.length);
    Objects.checkFromIndexSize(targetOffset, Digest.BYTES, target.length);
    Arrays.fill(state, 0);
    int at = offset;
    int end = offset + length;
    for (; end - at >= RATE_BYTES; at += RATE_BYTES) {
      absorb(array, at);
    }
    Arrays.fill(lastBlock, (byte) 0);
    System.arraycopy(array, at, lastBlock, 0, end - at);
    lastBlock[end - at] = FIRST_PAD;
    state[RATE_BYTES / Long.BYTES - 1] ^= LAST_PAD;
    absorb(lastBlock, 0);
    for (int i = 0; i < Digest.BYTES / Long.BYTES; i++) {
      LANE.set(target, targetOffset + i * Long.BYTES, state[i]);
    }
  }

  private void absorb(byte[] block, int offset) {
    for (int i = 0; i < RATE_BYTES / Long.BYTES; i++) {
      state[i] ^= (long) LANE.get(block, offset + i * Long.BYTES);
    }
    for (int round = 0; round < ROUND_CONSTANTS.length; round += 2) {
      round(state, other, ROUND_CONSTANTS[round]);
      round(other, state, ROUND_CONSTANTS[round + 1]);
    }
  }

  /// One round of Keccak-f[1600]: theta into `c` and `d`; rho, pi and chi row by row; iota.
  private static void round(long[] a, long[] to, long roundConstant) {
    long c0 = a[0] ^ a[5] ^ a[10] ^ a[15] ^ a[20];
    long c1 = a[1] ^ a[6] ^ a[11] ^ a[16] ^ a[21];
    long c2 = a[2] ^ a[7] ^ a[12] ^ a[17] ^ a[22];
    long c3 = a[3] ^ a[8] ^ a[13] ^ a[18] ^ a[23];
    long c4 = a[4] ^ a[9] ^ a[14] ^ a[19] ^ a[24];
    long d0 = c4 ^ Long.rotateLeft(c1, 1);
    long d1 = c0 ^ Long.rotateLeft(c2, 1);
    long d2 = c1 ^ Long.rotateLeft(c3, 1);
    long d3 = c2 ^ Long.rotateLeft(c4, 1);
    long d4 = c3 ^ Long.rotateLeft(c0, 1);
    row(
        to,
        0,
        a[0] ^ d0,
        Long.rotateLeft(a[6] ^ d1, 44),
        Long.rotateLeft(a[12] ^ d2, 43),
        Long.rotateLeft(a[18] ^ d3, 21),
        Long.rotateLeft(a[24] ^ d4, 14));
    row(
        to,
        5,
        Long.rotateLeft(a[3] ^ d3, 28),
        Long.rotateLeft(a[9] ^ d4, 20),
        Long.rotateLeft(a[10] ^ d0, 3),
        Long.rotateLeft(a[16] ^ d1, 45),
        Long.rotateLeft(a[22] ^ d2, 61));
    row(
        to,
        10,
        Long.rotateLeft(a[1] ^ d1, 1),
        Long.rotateLeft(a[7] ^ d2, 6),
        Long.rotateLeft(a[13] ^ d3, 25),
        Long.rotateLeft(a[19] ^ d4, 8),
        Long.rotateLeft(a[20] ^ d0, 18));
    row(
        to,
        15,
        Long.rotateLeft(a[4] ^ d4, 27),
        Long.rotateLeft(a[5] ^ d0, 36),
        Long.rotateLeft(a[11] ^ d1, 10),
        Long.rotateLeft(a[17] ^ d2, 15),
        Long.rotateLeft(a[23] ^ d3, 56));
    row(
        to,
        20,
        Long.rotateLeft(a[2] ^ d2, 62),
        Long.rotateLeft(a[8] ^ d3, 55),
        Long.rotateLeft(a[14] ^ d4, 39),
        Long.rotateLeft(a[15] ^ d0, 41),
        Long.rotateLeft(a[21] ^ d1, 2));
    to[0] ^= roundConstant;
  }

  private static void row(long[] to, int first, long b0, long b1, long b2, long b3, long b4) {
    to[first] = b0 ^ (~b1 & b2);
    to[first + 1] = b1 ^ (~b2 & b3);
    to[first + 2] = b2 ^ (~b3 & b4);
    to[first + 3] = b3 ^ (~b4 & b0);
    to[first + 4] = b4 ^ (~b0 & b1);
  }
}
