// Keys are put into the trie, each by a thread, in one of two ways.
//
// Source: Accelerating Merkle Patricia Trie with GPU, sections 3.1.1 and 3.1.2.
#pragma once

#include "trie.cuh"

// A node in its slot knows nothing yet; nobody else has its reference.
DEVICE void clear_node(const Trie& trie, u32 node) {
  trie.hash_bytes[node] = 0;
  trie.depths[node] = UNPLACED;
  trie.marks[node] = 0;
  trie.waits[node] = 0;
}

DEVICE void make_leaf(const Trie& trie, u32 leaf, const u32* key) {
  clear_node(trie, leaf);
  trie.set_by[leaf] = 0;
  u32* to = array_at(trie.keys, leaf, KEY_WORDS);
  for (u32 i = 0; i < KEY_WORDS; i++) to[i] = key[i];
}

// A branch with one child, at a nibble that all keys below the child share.
DEVICE void make_branch(const Trie& trie, u32 branch, u32 nibble, u32 child) {
  clear_node(trie, branch);
  u32 slot = slot_of(trie, branch), witness = witness_of(trie, child);
  u32* children = array_at(trie.children, slot, WIDTH);
  for (u32 i = 0; i < WIDTH; i++) children[i] = NONE;
  children[nibble_at(key_of(trie, witness), nibble)] = child;
  trie.nibbles[slot] = nibble;
  trie.witnesses[slot] = witness;
  trie.versions[slot] = 0;
}

// Puts a node that was made whole where `expected` is.
DEVICE bool put_node(u32* at, u32 expected, u32 node) {
  fence();
  return compare_and_swap(at, expected, node) == expected;
}

// PhaseNU. Where a key leaves the way between two nodes a branch is put, by a compare-and-set. No
// thread waits for another one.
//
// Other than in the paper a branch is made only at the nibble where a key leaves, and not one for
// each nibble of an extension: what is between two branches is stored nowhere, so splitting it
// twice is no conflict. Each branch has its second child after the second phase, so that there is
// nothing to compress in a third.
//
// Phase 1, expand: the branch below which the key belongs. There is no leaf at its place, or its
// own.
DEVICE u32 expand(const Trie& trie, u32 entry, const u32* key) {
  u32* held = &array_at(trie.held, entry, HELD)[HELD_BRANCH];
  u32 parent = anchor(trie);
  for (bool is_there = false; !is_there;) {
    u32* at = child_of(trie, parent, key);
    u32 child = load_volatile(at);
    is_there = child == NONE;
    if (is_there) continue;
    fence();
    u32 difference = first_difference(key, key_of(trie, witness_of(trie, child)));
    if (difference < shared_nibbles(trie, child)) {
      make_branch(trie, *held, difference, child);
      is_there = put_node(at, child, *held);
      if (is_there) {
        parent = *held;
        *held = NONE;
      }
    } else if (is_branch(trie, child)) {
      parent = child;
    } else {
      is_there = true;
    }
  }
  return parent;
}

// Phase 2, insert: the leaf of the key. Another key of the batch may have its leaf where this one's
// belongs; a branch is put between them and the branch above.
DEVICE u32 insert(const Trie& trie, u32 entry, const u32* key) {
  u32* held = array_at(trie.held, entry, HELD);
  u32 own = held[HELD_LEAF], parent = trie.places[entry], leaf = NONE;
  make_leaf(trie, own, key);
  while (leaf == NONE) {
    u32* at = child_of(trie, parent, key);
    u32 child = load_volatile(at);
    if (child == NONE) {
      if (put_node(at, NONE, own)) leaf = own;
      continue;
    }
    fence();
    u32 difference = first_difference(key, key_of(trie, witness_of(trie, child)));
    if (difference < shared_nibbles(trie, child)) {
      u32 branch = held[HELD_LOWER_BRANCH];
      make_branch(trie, branch, difference, child);
      *child_of(trie, branch, key) = own;
      if (put_node(at, child, branch)) {
        held[HELD_LOWER_BRANCH] = NONE;
        leaf = own;
      }
    } else if (is_branch(trie, child)) {
      parent = child;
    } else {
      leaf = child;
    }
  }
  if (leaf == own) held[HELD_LEAF] = NONE;
  return leaf;
}

// LockNU: optimistic lock coupling. A key goes down without a lock, and looks at each branch whether
// the one above has changed meanwhile. It locks the one branch whose child it changes.
constexpr u32 LOCKED = 1;

DEVICE u32* version_of(const Trie& trie, u32 branch) {
  return &trie.versions[slot_of(trie, branch)];
}

// Puts a node where `at` is, unless the branch has changed since its version was read.
DEVICE bool put_locked(u32* version, u32 expected, u32* at, u32 node) {
  fence();
  if (!PLANTED(UNLOCKED_UPDATE) &&
      compare_and_swap(version, expected, expected | LOCKED) != expected) {
    return false;
  }
  fence();
  store_volatile(at, node);
  fence();
  store_volatile(version, expected + 2 * LOCKED);
  return true;
}

// One step down. The leaf of the key, or NONE: then `version` is that of the branch to go on from,
// or has LOCKED, if another key was in the way and this one starts again.
DEVICE u32 step_locking(
    const Trie& trie, u32* held, u32 own, const u32* key, u32* parent, u32* version) {
  u32* above = version_of(trie, *parent);
  u32* at = child_of(trie, *parent, key);
  u32 child = load_volatile(at), put = own, leaf = NONE, below = LOCKED;
  fence();
  if (load_volatile(above) == *version) {
    u32 difference = 0, shared = 1;
    if (child != NONE) {
      difference = first_difference(key, key_of(trie, witness_of(trie, child)));
      shared = shared_nibbles(trie, child);
    }
    if (difference < shared) {
      if (child != NONE) {
        put = held[HELD_BRANCH];
        make_branch(trie, put, difference, child);
        *child_of(trie, put, key) = own;
      }
      if (put_locked(above, *version, at, put)) leaf = own;
      if (leaf == own && put != own) held[HELD_BRANCH] = NONE;
    } else if (is_branch(trie, child)) {
      below = load_volatile(version_of(trie, child));
      fence();
      if (load_volatile(above) != *version) below = LOCKED;
      *parent = child;
    } else {
      leaf = child;
    }
  }
  *version = below;
  return leaf;
}

DEVICE u32 insert_locking(const Trie& trie, u32 entry, const u32* key) {
  u32* held = array_at(trie.held, entry, HELD);
  u32 own = held[HELD_LEAF], parent = anchor(trie), version = LOCKED, leaf = NONE;
  make_leaf(trie, own, key);
  while (leaf == NONE) {
    if ((version & LOCKED) != 0) {
      parent = anchor(trie);
      version = load_volatile(version_of(trie, parent));
      fence();
    } else {
      leaf = step_locking(trie, held, own, key, &parent, &version);
    }
  }
  if (leaf == own) held[HELD_LEAF] = NONE;
  return leaf;
}
