// Hashes of RFC 9162's tree (section 2.1.1) on one thread.
#pragma once

#include "sha256.cuh"

constexpr u32 NODE_PREFIX = 1;

// SHA-256(0x01 ‖ left ‖ right), 65 bytes: one block, and a second that has but one byte of them.
// `children` is 16 words, big-endian; it is overwritten.
DEVICE void parent_of(u32* children, u32* parent) {
  u32 last = children[15];
  UNROLL
  for (i32 i = 15; i > 0; i--) children[i] = children[i - 1] << 24 | children[i] >> 8;
  children[0] = NODE_PREFIX << 24 | children[0] >> 8;
  sha256_start(parent);
  sha256_compress(parent, children);
  u32 rest[SHA256_BLOCK_WORDS] = {last << 24 | 0x00800000};
  rest[15] = (1 + 2 * 4 * DIGEST_WORDS) * 8;
  sha256_compress(parent, rest);
}

// Children `2i` and `2i + 1`, which lie side by side.
DEVICE void read_children(const u32* digests, u32 i, u32* children) {
  const u32* from = digests + (u64)i * 2 * DIGEST_WORDS;
  UNROLL
  for (u32 j = 0; j < 2 * DIGEST_WORDS; j++) children[j] = swap_bytes(from[j]);
}
