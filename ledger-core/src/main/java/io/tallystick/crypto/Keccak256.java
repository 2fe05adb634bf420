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

  /// The state, and behind it the other one that a round writes. One array is faster than two.
  private final long[] state = new long[2 * LANES];

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
    Arrays.fill(state, 0, LANES, 0);
    int at = offset;
    int end = offset + length;
    for (; end - at >= RATE_BYTES; at += RATE_BYTES) {
      absorb(array, at, RATE_BYTES / Long.BYTES);
      permute(state);
    }
    int lanes = (end - at) / Long.BYTES;
    absorb(array, at, lanes);
    state[lanes] ^= padded(array, at + lanes * Long.BYTES, end);
    state[RATE_BYTES / Long.BYTES - 1] ^= LAST_PAD;
    permute(state);
    for (int i = 0; i < Digest.BYTES / Long.BYTES; i++) {
      LANE.set(target, targetOffset + i * Long.BYTES, state[i]);
    }
  }

  private void absorb(byte[] block, int offset, int lanes) {
    for (int i = 0; i < lanes; i++) {
      state[i] ^= (long) LANE.get(block, offset + i * Long.BYTES);
    }
  }

  /// The message's last 0 to 7 bytes, and the padding's first.
  private static long padded(byte[] array, int from, int end) {
    long lane = FIRST_PAD;
    for (int i = end - 1; i >= from; i--) {
      lane = (lane << Byte.SIZE) | (array[i] & 0xff);
    }
    return lane;
  }

  /// Keccak-f[1600]. A static method: C2 makes faster code of it than of one that reads the field.
  private static void permute(long[] state) {
    for (int round = 0; round < ROUND_CONSTANTS.length; round += 2) {
      round(state, ROUND_CONSTANTS[round]);
      roundBack(state, ROUND_CONSTANTS[round + 1]);
    }
  }

  /// One round of Keccak-f[1600], from the front half to the back half: theta into `c` and `d`;
  /// rho, pi and chi row by row; iota.
  private static void round(long[] s, long roundConstant) {
    long c0 = s[0] ^ s[5] ^ s[10] ^ s[15] ^ s[20];
    long c1 = s[1] ^ s[6] ^ s[11] ^ s[16] ^ s[21];
    long c2 = s[2] ^ s[7] ^ s[12] ^ s[17] ^ s[22];
    long c3 = s[3] ^ s[8] ^ s[13] ^ s[18] ^ s[23];
    long c4 = s[4] ^ s[9] ^ s[14] ^ s[19] ^ s[24];
    long d0 = c4 ^ Long.rotateLeft(c1, 1);
    long d1 = c0 ^ Long.rotateLeft(c2, 1);
    long d2 = c1 ^ Long.rotateLeft(c3, 1);
    long d3 = c2 ^ Long.rotateLeft(c4, 1);
    long d4 = c3 ^ Long.rotateLeft(c0, 1);
    row(
        s,
        25,
        s[0] ^ d0,
        Long.rotateLeft(s[6] ^ d1, 44),
        Long.rotateLeft(s[12] ^ d2, 43),
        Long.rotateLeft(s[18] ^ d3, 21),
        Long.rotateLeft(s[24] ^ d4, 14));
    row(
        s,
        30,
        Long.rotateLeft(s[3] ^ d3, 28),
        Long.rotateLeft(s[9] ^ d4, 20),
        Long.rotateLeft(s[10] ^ d0, 3),
        Long.rotateLeft(s[16] ^ d1, 45),
        Long.rotateLeft(s[22] ^ d2, 61));
    row(
        s,
        35,
        Long.rotateLeft(s[1] ^ d1, 1),
        Long.rotateLeft(s[7] ^ d2, 6),
        Long.rotateLeft(s[13] ^ d3, 25),
        Long.rotateLeft(s[19] ^ d4, 8),
        Long.rotateLeft(s[20] ^ d0, 18));
    row(
        s,
        40,
        Long.rotateLeft(s[4] ^ d4, 27),
        Long.rotateLeft(s[5] ^ d0, 36),
        Long.rotateLeft(s[11] ^ d1, 10),
        Long.rotateLeft(s[17] ^ d2, 15),
        Long.rotateLeft(s[23] ^ d3, 56));
    row(
        s,
        45,
        Long.rotateLeft(s[2] ^ d2, 62),
        Long.rotateLeft(s[8] ^ d3, 55),
        Long.rotateLeft(s[14] ^ d4, 39),
        Long.rotateLeft(s[15] ^ d0, 41),
        Long.rotateLeft(s[21] ^ d1, 2));
    s[25] ^= roundConstant;
  }

  /// The same round from the back half to the front half, written out with its indexes.
  private static void roundBack(long[] s, long roundConstant) {
    long c0 = s[25] ^ s[30] ^ s[35] ^ s[40] ^ s[45];
    long c1 = s[26] ^ s[31] ^ s[36] ^ s[41] ^ s[46];
    long c2 = s[27] ^ s[32] ^ s[37] ^ s[42] ^ s[47];
    long c3 = s[28] ^ s[33] ^ s[38] ^ s[43] ^ s[48];
    long c4 = s[29] ^ s[34] ^ s[39] ^ s[44] ^ s[49];
    long d0 = c4 ^ Long.rotateLeft(c1, 1);
    long d1 = c0 ^ Long.rotateLeft(c2, 1);
    long d2 = c1 ^ Long.rotateLeft(c3, 1);
    long d3 = c2 ^ Long.rotateLeft(c4, 1);
    long d4 = c3 ^ Long.rotateLeft(c0, 1);
    row(
        s,
        0,
        s[25] ^ d0,
        Long.rotateLeft(s[31] ^ d1, 44),
        Long.rotateLeft(s[37] ^ d2, 43),
        Long.rotateLeft(s[43] ^ d3, 21),
        Long.rotateLeft(s[49] ^ d4, 14));
    row(
        s,
        5,
        Long.rotateLeft(s[28] ^ d3, 28),
        Long.rotateLeft(s[34] ^ d4, 20),
        Long.rotateLeft(s[35] ^ d0, 3),
        Long.rotateLeft(s[41] ^ d1, 45),
        Long.rotateLeft(s[47] ^ d2, 61));
    row(
        s,
        10,
        Long.rotateLeft(s[26] ^ d1, 1),
        Long.rotateLeft(s[32] ^ d2, 6),
        Long.rotateLeft(s[38] ^ d3, 25),
        Long.rotateLeft(s[44] ^ d4, 8),
        Long.rotateLeft(s[45] ^ d0, 18));
    row(
        s,
        15,
        Long.rotateLeft(s[29] ^ d4, 27),
        Long.rotateLeft(s[30] ^ d0, 36),
        Long.rotateLeft(s[36] ^ d1, 10),
        Long.rotateLeft(s[42] ^ d2, 15),
        Long.rotateLeft(s[48] ^ d3, 56));
    row(
        s,
        20,
        Long.rotateLeft(s[27] ^ d2, 62),
        Long.rotateLeft(s[33] ^ d3, 55),
        Long.rotateLeft(s[39] ^ d4, 39),
        Long.rotateLeft(s[40] ^ d0, 41),
        Long.rotateLeft(s[46] ^ d1, 2));
    s[0] ^= roundConstant;
  }

  private static void row(long[] to, int first, long b0, long b1, long b2, long b3, long b4) {
    to[first] = b0 ^ (~b1 & b2);
    to[first + 1] = b1 ^ (~b2 & b3);
    to[first + 2] = b2 ^ (~b3 & b4);
    to[first + 3] = b3 ^ (~b4 & b0);
    to[first + 4] = b4 ^ (~b0 & b1);
  }
}
