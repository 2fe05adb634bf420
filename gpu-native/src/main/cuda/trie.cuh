// A Merkle Patricia trie of 32-byte keys in a pool of nodes, as a structure of arrays.
//
// A node is named by a reference of 32 bits: 0 is none, those below `leaf_slots` are leaves, the
// others branches. An extension is no node. A branch knows at which nibble of the keys it branches,
// and a leaf below it that has the nibbles before (its witness); so what is between it and the
// branch above is known without being stored, and to put a branch in between changes one reference.
// The anchor is the branch in slot 0. It has one child, the root, and branches before nibble 0.
//
// Nodes are never removed and no key is ever forgotten. A leaf keeps its slot and a branch its
// nibble and witness for ever; what changes is a leaf's value and a branch's children.
#pragma once

#include "sha256.cuh"

constexpr u32 KEY_WORDS = 8;
constexpr u32 KEY_NIBBLES = 64;
constexpr u32 WIDTH = 16;
constexpr u32 NONE = 0;

// A node's depth before it was hashed for the first time.
constexpr u32 UNPLACED = 0xffffffff;

// The nibble at which the anchor branches: the next one is the first.
constexpr u32 BEFORE_ALL = 0xffffffff;

// Nodes that a thread holds for the key it puts in: it has them before the update begins, and keeps
// those that it did not need for the next batch.
constexpr u32 HELD_LEAF = 0, HELD_BRANCH = 1, HELD_LOWER_BRANCH = 2, HELD = 3;

// What a node is marked with while it waits for its hash.
constexpr u32 COUNTED = 1;  // the node above waits for it
constexpr u32 LOOKED_THROUGH = 2;

// Numbers first, then arrays, in the order in which the host attaches them. "Slots" counts the slot
// 0 of leaves, which is no leaf, and the anchor's.
struct Trie {
  u32 leaf_slots;
  u32 branch_slots;
  u32 entries_max;  // of a batch
  u32 value_words;  // that each leaf has room for
  u32 next_leaf;    // slots from here on were never given away
  u32 next_branch;  // not a reference: counted from the anchor
  u32 is_full;
  u32 start_count;

  // Of each leaf.
  u32* keys;         // KEY_WORDS each
  u32* values;       // value_words each
  u32* value_bytes;
  u32* set_by;       // 1 + the last entry of the batch that has the key; 0 for none
  // Of each branch.
  u32* children;     // WIDTH each
  u32* nibbles;      // at which it branches
  u32* witnesses;
  u32* versions;     // LockNU: bit 0 is the lock, the others count changes
  u32* inner_hashes; // as `hashes`, of the branch without the extension above it
  u32* inner_bytes;
  // Of each node.
  u32* hashes;       // what the node above holds of it: a hash, or the encoding if that is shorter
  u32* hash_bytes;   // of that; 0 if it has no hash yet
  u32* depths;       // nibbles above the node, extension included
  u32* marks;
  u32* waits;        // for as many nodes below it, and once for itself if it is among the starts
  u32* parents;
  // Of each entry of a batch.
  u32* entry_keys;
  u32* entry_values;
  u32* entry_bytes;
  u32* held;         // HELD each
  u32* places;       // PhaseNU's first phase: the branch below which it belongs; then its leaf
  // Of PhaseHC.
  u32* starts;       // nodes that hashing starts at: at most 3 for an entry
};

DEVICE bool is_branch(const Trie& trie, u32 node) { return node >= trie.leaf_slots; }
DEVICE u32 anchor(const Trie& trie) { return trie.leaf_slots; }
DEVICE u32 slot_of(const Trie& trie, u32 branch) { return branch - trie.leaf_slots; }
DEVICE u32* array_at(u32* array, u32 i, u32 words) { return array + (u64)i * words; }

// Bytes of a key lie in memory in their order; the high half of each comes first.
DEVICE u32 nibble_at(const u32* key, u32 depth) {
  u32 shift = 8 * (depth / 2 % 4) + 4 * (1 - depth % 2);
  return key[depth / 8] >> shift & 15;
}

// The first nibble at which two keys differ, or KEY_NIBBLES.
DEVICE u32 first_difference(const u32* left, const u32* right) {
  for (u32 i = 0; i < KEY_WORDS; i++) {
    u32 difference = left[i] ^ right[i];
    if (difference != 0) {
      return 8 * i + leading_zeros(swap_bytes(difference)) / 4 + (PLANTED(WRONG_NIBBLE) ? 1 : 0);
    }
  }
  return KEY_NIBBLES;
}

DEVICE u32 witness_of(const Trie& trie, u32 node) {
  return is_branch(trie, node) ? trie.witnesses[slot_of(trie, node)] : node;
}

DEVICE const u32* key_of(const Trie& trie, u32 leaf) {
  return array_at(trie.keys, leaf, KEY_WORDS);
}

// Nibbles that all keys below a node share, at least.
DEVICE u32 shared_nibbles(const Trie& trie, u32 node) {
  return is_branch(trie, node) ? trie.nibbles[slot_of(trie, node)] : KEY_NIBBLES;
}

// Where the reference to the child stands that a key goes on with.
DEVICE u32* child_of(const Trie& trie, u32 branch, const u32* key) {
  u32 slot = slot_of(trie, branch);
  u32* children = array_at(trie.children, slot, WIDTH);
  return slot == 0 ? children : children + nibble_at(key, trie.nibbles[slot]);
}

// Nibbles above what hangs below a branch.
DEVICE u32 depth_below(const Trie& trie, u32 branch) {
  return trie.nibbles[slot_of(trie, branch)] + 1;  // 0 below the anchor
}
