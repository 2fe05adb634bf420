// Keccak-256 (the Keccak team's padding 0x01, as in Ethereum; not SHA3-256) on one thread: the
// state is in registers.
#pragma once

#include "message.cuh"

constexpr i32 KECCAK_LANES = 25;
constexpr i32 KECCAK256_BLOCK_BYTES = 136;  // the rate
constexpr i32 KECCAK256_BLOCK_WORDS = 34;

// The Keccak reference, section 1.2: the constants of step iota.
CONSTANT u64 KECCAK_IOTA[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

// How far step rho turns lane x + 5y, from 0 to 63 bits to the left.
constexpr i32 KECCAK_RHO[KECCAK_LANES] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                                          25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};

DEVICE u64 rotate_left(u64 x, i32 bits) { return bits == 0 ? x : x << bits | x >> (64 - bits); }

// One round of Keccak-f[1600]: theta, rho and pi, chi, iota. Lane (x, y) is `lanes[x + 5 * y]`.
DEVICE void keccak_round(u64* lanes, u64 iota) {
  u64 column[5], moved[KECCAK_LANES];
  UNROLL
  for (i32 x = 0; x < 5; x++) {
    column[x] = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20];
  }
  UNROLL
  for (i32 x = 0; x < 5; x++) {
    u64 parity = column[(x + 4) % 5] ^ rotate_left(column[(x + 1) % 5], 1);
    UNROLL
    for (i32 y = 0; y < 5; y++) {
      moved[y + 5 * ((2 * x + 3 * y) % 5)] =
          rotate_left(lanes[x + 5 * y] ^ parity, KECCAK_RHO[x + 5 * y]);
    }
  }
  UNROLL
  for (i32 y = 0; y < KECCAK_LANES; y += 5) {
    UNROLL
    for (i32 x = 0; x < 5; x++) {
      lanes[y + x] = moved[y + x] ^ (~moved[y + (x + 1) % 5] & moved[y + (x + 2) % 5]);
    }
  }
  lanes[0] ^= iota;
}

// The padding 10*1 in the last block, of which `here` bytes, fewer than all, are of the message.
DEVICE void keccak256_pad(u32* block, i32 here) {
  UNROLL
  for (i32 i = 0; i < KECCAK256_BLOCK_WORDS; i++) {
    i32 kept = here - 4 * i;
    if (kept < 0) {
      block[i] = 0;
    } else if (kept < 4) {
      block[i] = (block[i] & ~(0xffffffffu << 8 * kept)) | 1u << 8 * kept;
    }
  }
  block[KECCAK256_BLOCK_WORDS - 1] |= 0x80000000;
}

DEVICE void keccak256_message(Message message, u64* lanes) {
  UNROLL
  for (i32 i = 0; i < KECCAK_LANES; i++) lanes[i] = 0;
  u32 blocks = (u32)message.left / KECCAK256_BLOCK_BYTES + 1;
  for (u32 i = 0; i < blocks; i++) {
    u32 block[KECCAK256_BLOCK_WORDS];
    i32 here = bytes_here(message, KECCAK256_BLOCK_BYTES);
    read_block<KECCAK256_BLOCK_WORDS>(message, here, LITTLE_ENDIAN_WORDS, block);
    if (i == blocks - 1) keccak256_pad(block, here);
    UNROLL
    for (i32 j = 0; j < KECCAK256_BLOCK_WORDS / 2; j++) {
      lanes[j] ^= (u64)block[2 * j + 1] << 32 | block[2 * j];
    }
    for (i32 round = 0; round < 24; round++) keccak_round(lanes, KECCAK_IOTA[round]);
  }
}
