// SHA-256 (FIPS 180-4) on one thread: state and block are in registers.
#pragma once

#include "message.cuh"

constexpr i32 SHA256_BLOCK_BYTES = 64;
constexpr i32 SHA256_BLOCK_WORDS = 16;
constexpr i32 SHA256_LENGTH_BYTES = 8;  // of the length in bits, at the end of the padding

// FIPS 180-4 section 4.2.2.
constexpr u32 SHA256_ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// FIPS 180-4 section 5.3.3.
DEVICE void sha256_start(u32* state) {
  state[0] = 0x6a09e667;
  state[1] = 0xbb67ae85;
  state[2] = 0x3c6ef372;
  state[3] = 0xa54ff53a;
  state[4] = 0x510e527f;
  state[5] = 0x9b05688c;
  state[6] = 0x1f83d9ab;
  state[7] = 0x5be0cd19;
}

DEVICE u32 rotate_right(u32 x, i32 bits) { return x >> bits | x << (32 - bits); }

// FIPS 180-4 section 6.2.2. `block` is 16 words, big-endian; it is overwritten by the schedule, of
// which the last 16 words are kept.
DEVICE void sha256_compress(u32* state, u32* block) {
  u32 a = state[0], b = state[1], c = state[2], d = state[3];
  u32 e = state[4], f = state[5], g = state[6], h = state[7];
  UNROLL
  for (i32 round = 0; round < 64; round++) {
    i32 at = round & 15;
    if (round >= 16) {
      u32 x = block[(round - 15) & 15], y = block[(round - 2) & 15];
      block[at] += (rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3) + block[(round - 7) & 15] +
                   (rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10);
    }
    u32 first = h + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
                ((e & f) ^ (~e & g)) + SHA256_ROUND[round] + block[at];
    u32 second = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +
                 ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

// FIPS 180-4 section 5.1.1, but for the length: the bit after the message and zeros, in a block of
// which `here` bytes, fewer than all, are of the message. Below 0: the bit was in the block before.
DEVICE void sha256_pad(u32* block, i32 here) {
  UNROLL
  for (i32 i = 0; i < SHA256_BLOCK_WORDS; i++) {
    i32 kept = here - 4 * i;
    if (PLANTED(WRONG_MASK)) kept += kept == 3;
    if (kept < 0) {
      block[i] = 0;
    } else if (kept < 4) {
      block[i] = (block[i] & ~(0xffffffffu >> 8 * kept)) | 0x80000000u >> 8 * kept;
    }
  }
}

// SHA-256 of a message, with `prefix` before it if it was read with one.
DEVICE void sha256_message(Message message, u32 prefix, u32* digest) {
  u64 bytes = (u64)message.left;
  if (PLANTED(ONE_BLOCK_LESS)) bytes--;
  u32 blocks = (u32)(bytes + SHA256_LENGTH_BYTES) / SHA256_BLOCK_BYTES + 1;
  if (PLANTED(ONE_BLOCK_LESS)) bytes++;
  bool has_prefix = message.prefix != 0;
  sha256_start(digest);
  for (u32 i = 0; i < blocks; i++) {
    u32 block[SHA256_BLOCK_WORDS];
    i32 here = bytes_here(message, SHA256_BLOCK_BYTES);
    read_block<SHA256_BLOCK_WORDS>(message, here, BIG_ENDIAN_WORDS, block);
    if (i == 0 && has_prefix) block[0] = (block[0] & 0x00ffffff) | prefix << 24;
    if (here < SHA256_BLOCK_BYTES) sha256_pad(block, here);
    if (i == blocks - 1) {
      block[14] = (u32)(bytes >> 29);
      block[15] = (u32)(bytes << 3);
    }
    sha256_compress(digest, block);
  }
}

// Bytes of a digest are big-endian words of the state.
DEVICE u32 swap_bytes(u32 word) { return permute_bytes(word, 0, BIG_ENDIAN_WORDS); }

DEVICE void sha256_store(u32* digests, u32 i, const u32* digest) {
  u32* to = digests + (u64)i * DIGEST_WORDS;
  UNROLL
  for (u32 j = 0; j < DIGEST_WORDS; j++) to[j] = swap_bytes(digest[j]);
}
