// The kernels of the trie (trie.cuh). Blocks have TRIE_THREADS at most and whole warps. The grid
// may be rounded up. `trie` is the device's own copy of its description; what is in its arrays was
// put there by these kernels, but for a batch's entries. An update is, in this order:
//
//   trie_reserve                      nodes for each entry; if the pool has none, it is left there
//   trie_expand, trie_insert          PhaseNU, or
//   trie_lock_insert                  LockNU
//   trie_mark, trie_hash              PhaseHC
#pragma once

#include "trie_hash.cuh"
#include "trie_proof.cuh"
#include "trie_update.cuh"

constexpr u32 TRIE_THREADS = 128;
constexpr u32 TRIE_WARPS = TRIE_THREADS / WARP_THREADS;

// Sets word `field` of the numbers at the start.
KERNEL(TRIE_THREADS) trie_number(Trie* trie, u32 field, u32 value) {
  if (global_index() == 0) ((u32*)trie)[field] = value;
}

// Makes memory the array of number `field`.
KERNEL(TRIE_THREADS) trie_attach(Trie* trie, u32 field, u32* array) {
  if (global_index() == 0) (&trie->keys)[field] = array;
}

// An empty trie whose pool was never used. A thread for each entry that a batch may have.
KERNEL(TRIE_THREADS) trie_clear(Trie* description) {
  Trie trie = *description;
  u32 i = global_index();
  if (i < trie.entries_max) {
    for (u32 kind = 0; kind < HELD; kind++) array_at(trie.held, i, HELD)[kind] = NONE;
  }
  if (i == 0) {
    description->next_leaf = 1;
    description->next_branch = 1;
    description->is_full = 0;
    trie.children[0] = NONE;
    trie.nibbles[0] = BEFORE_ALL;
    trie.versions[0] = 0;
    trie.waits[anchor(trie)] = 0;
  }
}

// The allocator: a warp takes for its entries what they lack with one atomic addition, so that
// neighbours get neighbouring slots, and no thread takes one in the midst of an update. If there
// are not enough, `is_full` is set, and nothing else has changed but who holds what.
//
// Source: Accelerating Merkle Patricia Trie with GPU, section 3.1.1, which does it for a block.
DEVICE void take_slots(
    const Trie& trie, u32 count, u32 kind, u32* next, u32 slots, u32 first, u32* is_full) {
  u32 i = global_index();
  u32* held = array_at(trie.held, i, HELD) + kind;
  bool lacks = i < count && *held == NONE;
  u32 lacking = warp_ballot(lacks), from = 0;
  if (lane_index() == 0 && lacking != 0) from = atomic_add(next, count_ones(lacking));
  from = warp_read(from, 0);
  if (!lacks) return;
  u32 slot = from + count_ones(lacking & lanes_below());
  if (slot < slots || PLANTED(NO_BOUND)) {
    *held = first + slot;
    trie.hash_bytes[first + slot] = 0;
  } else {
    store_volatile(is_full, 1);
  }
}

KERNEL(TRIE_THREADS) trie_reserve(Trie* description, u32 count) {
  Trie trie = *description;
  if (global_index() == 0) description->start_count = 0;
  u32* full = &description->is_full;
  u32 branches = trie.leaf_slots;
  take_slots(trie, count, HELD_LEAF, &description->next_leaf, trie.leaf_slots, 0, full);
  u32* next = &description->next_branch;
  take_slots(trie, count, HELD_BRANCH, next, trie.branch_slots, branches, full);
  take_slots(trie, count, HELD_LOWER_BRANCH, next, trie.branch_slots, branches, full);
}

KERNEL(TRIE_THREADS) trie_expand(const Trie* description, u32 count) {
  Trie trie = *description;
  u32 i = global_index();
  if (i >= count) return;
  trie.places[i] = expand(trie, i, array_at(trie.entry_keys, i, KEY_WORDS));
}

// Of entries with one key the last counts.
DEVICE void set_entry(const Trie& trie, u32 entry, u32 leaf) {
  trie.places[entry] = leaf;
  atomic_max(&trie.set_by[leaf], entry + 1);
}

KERNEL(TRIE_THREADS) trie_insert(const Trie* description, u32 count) {
  Trie trie = *description;
  u32 i = global_index();
  if (i >= count) return;
  set_entry(trie, i, insert(trie, i, array_at(trie.entry_keys, i, KEY_WORDS)));
}

KERNEL(TRIE_THREADS) trie_lock_insert(const Trie* description, u32 count) {
  Trie trie = *description;
  u32 i = global_index();
  if (i >= count) return;
  set_entry(trie, i, insert_locking(trie, i, array_at(trie.entry_keys, i, KEY_WORDS)));
}

// Gives each leaf its value and marks what is to be hashed.
KERNEL(TRIE_THREADS) trie_mark(Trie* description, u32 count) {
  Trie trie = *description;
  u32 i = global_index();
  if (i >= count) return;
  u32 leaf = trie.places[i];
  if (trie.set_by[leaf] != i + 1) return;
  u32* to = array_at(trie.values, leaf, trie.value_words);
  const u32* from = array_at(trie.entry_values, i, trie.value_words);
  for (u32 word = 0; word < trie.value_words; word++) to[word] = from[word];
  trie.value_bytes[leaf] = trie.entry_bytes[i];
  mark_way(trie, &description->start_count, leaf);
}

// Hashes what is marked, from `start_count` nodes on, which the host read: a warp for each.
KERNEL(TRIE_THREADS) trie_hash(const Trie* description, u32 start_count) {
  SHARED SharedByte messages[TRIE_WARPS][MESSAGE_BYTES_MAX];
  SHARED SharedWord lanes[TRIE_WARPS][STATE_WORDS];
  SHARED SharedWord moved[TRIE_WARPS][STATE_WORDS];
  Trie trie = *description;
  u32 start = global_index() / WARP_THREADS, in_block = thread_index() / WARP_THREADS;
  Warp warp = {messages[in_block], lanes[in_block], moved[in_block]};
  if (start >= start_count) return;
  u32 node = trie.starts[start];
  if (lane_index() == 0 && !is_branch(trie, node)) trie.set_by[node] = 0;
  while (is_due(trie, node) && node != anchor(trie)) {
    hash_node(trie, warp, node);
    node = trie.parents[node];
  }
}

// Values of keys. The keys are those of entries, and so are the values then, with 0 bytes for a key
// that is not there.
KERNEL(TRIE_THREADS) trie_find(const Trie* description, u32 count) {
  Trie trie = *description;
  u32 i = global_index();
  if (i >= count) return;
  const u32* key = array_at(trie.entry_keys, i, KEY_WORDS);
  u32 node = anchor(trie);
  while (node != NONE && is_branch(trie, node)) node = *child_of(trie, node, key);
  if (node == NONE || first_difference(key, key_of(trie, node)) < KEY_NIBBLES) {
    trie.entry_bytes[i] = 0;
    return;
  }
  const u32* value = array_at(trie.values, node, trie.value_words);
  u32* to = array_at(trie.entry_values, i, trie.value_words);
  for (u32 word = 0; word < trie.value_words; word++) to[word] = value[word];
  trie.entry_bytes[i] = trie.value_bytes[node];
}

// Proofs of keys, a warp each, in two passes: the words that the proof of each entry's key takes,
// to `places`; then the proofs, each from word `places[i]` of `proofs` on.
//
// Source: Accelerating Merkle Patricia Trie with GPU, section 4.2.
DEVICE void prove(const Trie& trie, const Warp& warp, u32 count, u32* proofs) {
  u32 i = global_index() / WARP_THREADS;
  if (i >= count) return;
  const u32* key = array_at(trie.entry_keys, i, KEY_WORDS);
  u32* to = proofs == nullptr ? nullptr : proofs + trie.places[i];
  u32 words = write_proof(trie, warp, key, to);
  if (proofs == nullptr && lane_index() == 0) trie.places[i] = words;
}

KERNEL(TRIE_THREADS) trie_proof_sizes(const Trie* description, u32 count) {
  SHARED SharedByte messages[TRIE_WARPS][MESSAGE_BYTES_MAX];
  Warp warp = {messages[thread_index() / WARP_THREADS], nullptr, nullptr};
  prove(*description, warp, count, nullptr);
}

KERNEL(TRIE_THREADS) trie_proofs(const Trie* description, u32 count, u32* proofs) {
  SHARED SharedByte messages[TRIE_WARPS][MESSAGE_BYTES_MAX];
  Warp warp = {messages[thread_index() / WARP_THREADS], nullptr, nullptr};
  prove(*description, warp, count, proofs);
}
