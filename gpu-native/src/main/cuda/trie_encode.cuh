// Nodes of the trie in RLP (Yellow Paper, appendices B to D), by a warp each. All lanes of the warp
// come to each function.
#pragma once

#include "keccak256.cuh"
#include "trie.cuh"

constexpr u32 SHORT_MAX = 55;  // bytes of a string or list whose head has one byte
constexpr u32 STRING_HEAD = 0x80;
constexpr u32 LIST_HEAD = 0xc0;
constexpr u32 LEAF_FLAG = 2, ODD_FLAG = 1;

// What is encoded: a full branch has 17 items and a head of 3 bytes. Room for Keccak's padding.
constexpr u32 MESSAGE_BYTES_MAX = 4 * KECCAK256_BLOCK_BYTES;

// What a warp has in shared memory.
struct Warp {
  SharedByte* message;   // MESSAGE_BYTES_MAX
  SharedWord* lanes;     // of Keccak's state before pi: 25 low words, then 25 high ones
  SharedWord* moved;     // and after it
};
constexpr u32 STATE_WORDS = 2 * KECCAK_LANES;

DEVICE u32 byte_of(const u32* words, u32 i) { return words[i / 4] >> 8 * (i % 4) & 0xff; }

DEVICE u32 lanes_below() { return (1u << lane_index()) - 1; }

// The head of a list of so many bytes. How many bytes it takes.
DEVICE u32 list_head(SharedByte* message, u32 bytes) {
  u32 length_bytes = bytes <= SHORT_MAX ? 0 : bytes <= 0xff ? 1 : 2;
  if (lane_index() == 0) {
    if (length_bytes == 0) message[0] = (LIST_HEAD + bytes);
    if (length_bytes > 0) message[0] = (LIST_HEAD + SHORT_MAX + length_bytes);
    if (length_bytes == 2) message[1] = (bytes >> 8);
    if (length_bytes > 0) message[length_bytes] = (bytes & 0xff);
  }
  return 1 + length_bytes;
}

// Bytes that nibbles `from` to `to` of a key take, hex-prefixed, as a string.
DEVICE u32 prefixed_bytes(u32 from, u32 to) {
  u32 rest = (to - from) / 2;
  return rest > 0 ? 2 + rest : 1;
}

DEVICE void write_prefixed(SharedByte* to, const u32* key, u32 from, u32 end, u32 flags) {
  u32 rest = (end - from) / 2, odd = (end - from) % 2, lane = lane_index();
  if (lane == 0) {
    if (rest > 0) to[0] = (STRING_HEAD + 1 + rest);
    u32 first = flags << 4;
    if (odd) first |= ODD_FLAG << 4 | nibble_at(key, from);
    to[rest > 0 ? 1 : 0] = first;
  }
  for (u32 i = lane; i < rest; i += WARP_THREADS) {
    u32 depth = from + odd + 2 * i;
    to[2 + i] = (nibble_at(key, depth) << 4 | nibble_at(key, depth + 1));
  }
}

// Bytes of what a node above holds, as an item.
DEVICE u32 item_bytes(u32 hash_bytes) {
  return hash_bytes == 4 * DIGEST_WORDS ? 1 + 4 * DIGEST_WORDS : hash_bytes;
}

// By the calling lane alone.
DEVICE void write_item(SharedByte* to, const u32* hash, u32 hash_bytes) {
  u32 at = 0;
  if (hash_bytes == 4 * DIGEST_WORDS) to[at++] = (STRING_HEAD + 4 * DIGEST_WORDS);
  for (u32 i = 0; i < hash_bytes; i++) to[at + i] = byte_of(hash, i);
}

// Each of these gives the bytes that it wrote.
DEVICE u32 encode_leaf(const Trie& trie, u32 leaf, SharedByte* message) {
  const u32* value = array_at(trie.values, leaf, trie.value_words);
  u32 value_bytes = trie.value_bytes[leaf], from = trie.depths[leaf], lane = lane_index();
  u32 is_own_string = value_bytes == 1 && byte_of(value, 0) < STRING_HEAD;
  u32 value_head = is_own_string ? 0 : value_bytes <= SHORT_MAX ? 1 : 2;
  u32 key_bytes = prefixed_bytes(from, KEY_NIBBLES);
  u32 bytes = key_bytes + value_head + value_bytes;
  u32 at = list_head(message, bytes);
  write_prefixed(message + at, key_of(trie, leaf), from, KEY_NIBBLES, LEAF_FLAG);
  SharedByte* to = message + at + key_bytes;
  if (lane == 0 && value_head == 1) to[0] = (STRING_HEAD + value_bytes);
  if (lane == 0 && value_head == 2) {
    to[0] = (STRING_HEAD + SHORT_MAX + 1);
    to[1] = value_bytes;
  }
  for (u32 i = lane; i < value_bytes; i += WARP_THREADS) {
    to[value_head + i] = byte_of(value, i);
  }
  return at + bytes;
}

// A lane writes an item: 16 children, and no value.
DEVICE u32 encode_branch(const Trie& trie, u32 branch, SharedByte* message) {
  u32 lane = lane_index(), child = NONE, child_bytes = 0, mine = lane <= WIDTH ? 1 : 0;
  if (lane < WIDTH) child = array_at(trie.children, slot_of(trie, branch), WIDTH)[lane];
  if (child != NONE) {
    child_bytes = trie.hash_bytes[child];
    mine = item_bytes(child_bytes);
  }
  u32 before = 0, bytes = 0;
  UNROLL
  for (u32 bit = 0; bit < 6; bit++) {
    u32 having = warp_ballot((mine >> bit & 1) != 0);
    before += count_ones(having & lanes_below()) << bit;
    bytes += count_ones(having) << bit;
  }
  u32 at = list_head(message, bytes);
  SharedByte* to = message + at + before;
  if (child != NONE) {
    write_item(to, array_at(trie.hashes, child, DIGEST_WORDS), child_bytes);
  } else if (lane <= WIDTH) {
    to[0] = STRING_HEAD;
  }
  return at + bytes;
}

// What is between a branch and the one above, if anything is.
DEVICE bool has_extension(const Trie& trie, u32 branch) {
  return trie.nibbles[slot_of(trie, branch)] > trie.depths[branch];
}

DEVICE u32 encode_extension(const Trie& trie, u32 branch, SharedByte* message) {
  u32 slot = slot_of(trie, branch), from = trie.depths[branch], end = trie.nibbles[slot];
  u32 key_bytes = prefixed_bytes(from, end), inner_bytes = trie.inner_bytes[slot];
  u32 bytes = key_bytes + item_bytes(inner_bytes);
  u32 at = list_head(message, bytes);
  write_prefixed(message + at, key_of(trie, trie.witnesses[slot]), from, end, 0);
  if (lane_index() == 0) {
    write_item(
        message + at + key_bytes, array_at(trie.inner_hashes, slot, DIGEST_WORDS), inner_bytes);
  }
  return at + bytes;
}
