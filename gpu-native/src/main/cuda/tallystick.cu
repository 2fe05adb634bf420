// The kernels that hash in bulk: one message, or one parent, a thread.
//
// For all of them: memory begins at a multiple of 4 and its size is a multiple of 4. A digest is 32
// bytes, in the order that is published. `count` is from 1 and below 2^31; threads from `count` on
// do nothing, so the grid may be rounded up. Digests overlap nothing that is read. A kernel
// allocates nothing and cannot fail. Blocks are of one dimension and have HASH_THREADS at most.
#include "keccak256.cuh"
#include "tree.cuh"

constexpr u32 HASH_THREADS = 256;

DEVICE bool has_work(u32 i, u32 count) {
  return PLANTED(ONE_THREAD_MORE) ? i <= count : i < count;
}

// SHA-256 of messages of equal length: message `i` is at `i * stride`, and has `stride` bytes, from
// 1 and below 2^31.
KERNEL(HASH_THREADS) sha256_strided(const u32* messages, u32 stride, u32 count, u32* digests) {
  u32 i = global_index();
  if (!has_work(i, count)) return;
  u32 digest[DIGEST_WORDS];
  sha256_message(message_at(messages, (u64)i * stride, stride, 0), 0, digest);
  sha256_store(digests, i, digest);
}

// SHA-256 of messages of any length, laid out as `message_between` says; `offsets` has `count + 1`.
// `prefix` is 0x00 to 0xff, put before every message, or NO_PREFIX. RFC 9162's leaf hashes are
// those with the prefix 0x00.
constexpr u32 NO_PREFIX = 0x100;

KERNEL(HASH_THREADS)
sha256(const u32* messages, const u32* offsets, u32 origin, u32 count, u32 prefix, u32* digests) {
  u32 i = global_index();
  if (!has_work(i, count)) return;
  u32 digest[DIGEST_WORDS];
  u32 prefix_bytes = prefix == NO_PREFIX ? 0 : 1;
  sha256_message(message_between(messages, offsets, origin, i, prefix_bytes), prefix, digest);
  sha256_store(digests, i, digest);
}

// Keccak-256 of messages of any length, laid out as above.
KERNEL(HASH_THREADS)
keccak256(const u32* messages, const u32* offsets, u32 origin, u32 count, u32* digests) {
  u32 i = global_index();
  if (!has_work(i, count)) return;
  u64 lanes[KECCAK_LANES];
  keccak256_message(message_between(messages, offsets, origin, i, 0), lanes);
  u32* to = digests + (u64)i * DIGEST_WORDS;
  UNROLL
  for (u32 j = 0; j < DIGEST_WORDS; j++) to[j] = (u32)(lanes[j / 2] >> 32 * (j % 2));
}

// Levels 1 to `levels` of complete subtrees of 2^levels leaves each, one behind the other.
//
// `count` is all leaves, a multiple of 2^levels. `levels` is from 1, and 2^levels at most twice the
// threads of a block, which are a power of two; the grid has a thread for every two leaves. Higher
// trees take one launch more for each further part of their height. `nodes` gets `count -
// count / 2^levels` digests: the `count / 2` parents of leaves, then theirs, and so on. RFC 9162's
// node hashes alone are `levels` = 1.
KERNEL(HASH_THREADS) rfc9162_subtrees(const u32* leaves, u32 count, u32 levels, u32* nodes) {
  // The level below: one word of every node, then the next word.
  SHARED SharedWord below[DIGEST_WORDS][HASH_THREADS];
  u32 thread = thread_index();
  u32 parents = block_threads();  // that the block makes at this level, if it is full
  for (u32 level = 0; level < levels; level++) {
    u32 node = block_index() * parents + thread;
    bool is_mine = thread < parents && has_work(node, count >> (level + 1));
    u32 children[2 * DIGEST_WORDS];
    if (level == 0) {
      if (is_mine) read_children(leaves, node, children);
    } else {
      if (!PLANTED(NO_BARRIER_AFTER_WRITE)) BARRIER();
      if (is_mine) {
        UNROLL
        for (u32 j = 0; j < 2 * DIGEST_WORDS; j++) {
          children[j] = below[j % DIGEST_WORDS][2 * thread + j / DIGEST_WORDS];
        }
      }
      if (!PLANTED(NO_BARRIER_AFTER_READ)) BARRIER();
    }
    if (is_mine) {
      u32 parent[DIGEST_WORDS];
      parent_of(children, parent);
      sha256_store(nodes, count - (count >> level) + node, parent);
      UNROLL
      for (u32 j = 0; j < DIGEST_WORDS; j++) below[j][thread] = parent[j];
    }
    if (PLANTED(DIVERGENT_BARRIER) && is_mine) BARRIER();
    parents /= 2;
  }
}

#include "trie_kernels.cuh"
