// Proofs out of the trie: the encoded nodes on the way of a key, from the root to the end of the
// way. Each is a word with its bytes, then itself, rounded up to words. Nodes embedded in the one
// above are not repeated.
#pragma once

#include "trie_encode.cuh"

// The words that it takes. `to` may be null.
DEVICE u32 write_proof_node(const Warp& warp, u32 bytes, bool is_root, u32* to) {
  if (bytes < 4 * DIGEST_WORDS && !is_root) return 0;
  u32 words = (bytes + 3) / 4, lane = lane_index();
  WARP_BARRIER();
  if (to != nullptr) {
    if (lane == 0) to[0] = bytes;
    for (u32 i = lane; i < words; i += WARP_THREADS) {
      u32 word = 0;
      for (u32 j = 4 * i; j < bytes && j < 4 * i + 4; j++) {
        word |= (u32)warp.message[j] << 8 * (j % 4);
      }
      to[1 + i] = word;
    }
  }
  WARP_BARRIER();
  return 1 + words;
}

DEVICE u32 write_proof(const Trie& trie, const Warp& warp, const u32* key, u32* to) {
  u32 words = 0, node = *child_of(trie, anchor(trie), key);
  while (node != NONE && is_branch(trie, node)) {
    if (has_extension(trie, node)) {
      u32 bytes = encode_extension(trie, node, warp.message);
      words += write_proof_node(warp, bytes, words == 0, to == nullptr ? to : to + words);
      u32 difference = first_difference(key, key_of(trie, witness_of(trie, node)));
      if (difference < shared_nibbles(trie, node)) return words;
    }
    u32 bytes = encode_branch(trie, node, warp.message);
    words += write_proof_node(warp, bytes, words == 0, to == nullptr ? to : to + words);
    node = *child_of(trie, node, key);
  }
  if (node == NONE) return words;
  u32 bytes = encode_leaf(trie, node, warp.message);
  return words + write_proof_node(warp, bytes, words == 0, to == nullptr ? to : to + words);
}
