// PhaseHC: hashes each node once whose subtree changed, by a warp each.
//
// Marking goes from the root down the way of each key of the batch. A node counts the nodes below
// it that it waits for. Nodes that moved below another branch are hashed too: their encoding has
// other nibbles. Computing starts at the leaves. The warp that hashed the last node that a branch
// waited for goes on with that branch.
//
// Source: Accelerating Merkle Patricia Trie with GPU, section 3.2.
#pragma once

#include "trie_encode.cuh"

// Whether this thread is the first to come to a node.
DEVICE bool mark(const Trie& trie, u32 parent, u32 node) {
  if ((atomic_or(&trie.marks[node], COUNTED) & COUNTED) != 0) return false;
  trie.parents[node] = parent;
  store_volatile(&trie.depths[node], depth_below(trie, parent));
  atomic_add(&trie.waits[parent], 1);
  return true;
}

// A node that may wait for nothing below it waits for itself.
DEVICE void start_at(const Trie& trie, u32* start_count, u32 node) {
  atomic_add(&trie.waits[node], 1);
  trie.starts[atomic_add(start_count, 1)] = node;
}

// A branch of this batch has children that were elsewhere before.
DEVICE void mark_moved(const Trie& trie, u32* start_count, u32 branch) {
  if (trie.hash_bytes[branch] != 0) return;
  if ((atomic_or(&trie.marks[branch], LOOKED_THROUGH) & LOOKED_THROUGH) != 0) return;
  const u32* children = array_at(trie.children, slot_of(trie, branch), WIDTH);
  for (u32 i = 0; i < WIDTH; i++) {
    u32 child = children[i];
    if (child == NONE) continue;
    if (load_volatile(&trie.depths[child]) == depth_below(trie, branch)) continue;
    if (mark(trie, branch, child)) start_at(trie, start_count, child);
  }
}

// The way of a key to its leaf.
DEVICE void mark_way(const Trie& trie, u32* start_count, u32 leaf) {
  const u32* key = key_of(trie, leaf);
  u32 parent = anchor(trie);
  while (true) {
    u32 child = *child_of(trie, parent, key);
    bool is_first = mark(trie, parent, child);
    if (child == leaf) {
      if (is_first) start_at(trie, start_count, leaf);
      return;
    }
    mark_moved(trie, start_count, child);
    parent = child;
  }
}

// How far step rho turns each lane, for a lane that is known at run time only.
CONSTANT u32 KECCAK_TURNS[KECCAK_LANES] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                                           25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};

DEVICE u64 turn_left(u64 x, u32 bits) { return x << bits | x >> ((64 - bits) & 63); }

DEVICE void write_lane(SharedWord* state, u32 i, u64 lane) {
  state[i] = (u32)lane;
  state[KECCAK_LANES + i] = (u32)(lane >> 32);
}

DEVICE u64 read_lane(SharedWord* state, u32 i) {
  u32 low = state[i], high = state[KECCAK_LANES + i];
  return (u64)high << 32 | low;
}

// One lane of Keccak's state, of that number, is the calling lane's; those from 25 on help nobody
// and repeat what others do. It is read and written in shared memory in turns, with a barrier after
// each writing: who writes next has passed a barrier since all others read.
DEVICE u64 keccak_round_in_warp(const Warp& warp, u64 value, u32 turns, u64 iota) {
  u32 mine = lane_index() % KECCAK_LANES, x = mine % 5, row = mine - x;
  bool writes = lane_index() < KECCAK_LANES;
  if (writes) write_lane(warp.lanes, mine, value);
  if (!PLANTED(NO_WARP_BARRIER)) WARP_BARRIER();
  u64 left = 0, right = 0;
  UNROLL
  for (u32 y = 0; y < KECCAK_LANES; y += 5) {
    left ^= read_lane(warp.lanes, y + (x + 4) % 5);
    right ^= read_lane(warp.lanes, y + (x + 1) % 5);
  }
  value = turn_left(value ^ left ^ turn_left(right, 1), turns);
  if (writes) write_lane(warp.moved, row / 5 + 5 * ((2 * x + 3 * (row / 5)) % 5), value);
  WARP_BARRIER();
  u64 next = read_lane(warp.moved, row + (x + 1) % 5);
  u64 after = read_lane(warp.moved, row + (x + 2) % 5);
  value = read_lane(warp.moved, mine) ^ (~next & after);
  return mine == 0 ? value ^ iota : value;
}

// Keccak-256 of a message that the warp wrote, with room for the padding. The first four lanes have
// 8 bytes of it each.
DEVICE u64 keccak256_in_warp(const Warp& warp, u32 bytes) {
  u32 lane = lane_index(), mine = lane % KECCAK_LANES, turns = KECCAK_TURNS[mine];
  u32 blocks = bytes / KECCAK256_BLOCK_BYTES + 1, end = blocks * KECCAK256_BLOCK_BYTES;
  for (u32 i = bytes + lane; i < end; i += WARP_THREADS) {
    warp.message[i] = ((i == bytes ? 0x01 : 0) | (i == end - 1 ? 0x80 : 0));
  }
  WARP_BARRIER();
  u64 value = 0;
  for (u32 block = 0; block < blocks; block++) {
    if (mine < KECCAK256_BLOCK_WORDS / 2) {
      SharedByte* from = warp.message + block * KECCAK256_BLOCK_BYTES + 8 * mine;
      UNROLL
      for (u32 i = 0; i < 8; i++) value ^= (u64)(u32)from[i] << 8 * i;
    }
    for (u32 round = 0; round < 24; round++) {
      value = keccak_round_in_warp(warp, value, turns, KECCAK_IOTA[round]);
    }
  }
  return value;
}

// What the node above holds of an encoded node: its hash, or itself if it is shorter than that.
DEVICE void keep_hash(const Warp& warp, u32 bytes, bool is_root, u32* hash, u32* hash_bytes) {
  u32 lane = lane_index();
  if (bytes >= 4 * DIGEST_WORDS || is_root) {
    u64 value = keccak256_in_warp(warp, bytes);
    if (lane < DIGEST_WORDS / 2) {
      hash[2 * lane] = (u32)value;
      hash[2 * lane + 1] = (u32)(value >> 32);
    }
    bytes = 4 * DIGEST_WORDS;
  } else {
    WARP_BARRIER();
    if (4 * lane < bytes) {
      u32 word = 0;
      for (u32 i = 4 * lane; i < bytes && i < 4 * lane + 4; i++) {
        word |= (u32)warp.message[i] << 8 * (i % 4);
      }
      hash[lane] = word;
    }
  }
  if (lane == 0) *hash_bytes = bytes;
  WARP_BARRIER();
}

DEVICE void hash_node(const Trie& trie, const Warp& warp, u32 node) {
  u32* hash = array_at(trie.hashes, node, DIGEST_WORDS);
  u32* hash_bytes = &trie.hash_bytes[node];
  bool is_root = trie.parents[node] == anchor(trie);
  if (!is_branch(trie, node)) {
    keep_hash(warp, encode_leaf(trie, node, warp.message), is_root, hash, hash_bytes);
  } else {
    u32 slot = slot_of(trie, node);
    u32* inner = array_at(trie.inner_hashes, slot, DIGEST_WORDS);
    bool is_extended = has_extension(trie, node);
    bool is_inner_root = is_root && !is_extended;
    keep_hash(
        warp, encode_branch(trie, node, warp.message), is_inner_root, inner,
        &trie.inner_bytes[slot]);
    if (is_extended) {
      keep_hash(warp, encode_extension(trie, node, warp.message), is_root, hash, hash_bytes);
    } else {
      if (lane_index() < DIGEST_WORDS) hash[lane_index()] = inner[lane_index()];
      if (lane_index() == 0) *hash_bytes = trie.inner_bytes[slot];
    }
  }
  if (lane_index() == 0) trie.marks[node] = 0;
}

// Whether a node waits for nothing any more. What those wrote that it waited for is seen.
DEVICE bool is_due(const Trie& trie, u32 node) {
  fence();
  WARP_BARRIER();
  u32 left = 0;
  if (lane_index() == 0) left = atomic_add(&trie.waits[node], ALL_LANES) - 1;  // minus 1
  left = warp_read(left, 0);
  fence();
  return left == 0;
}
