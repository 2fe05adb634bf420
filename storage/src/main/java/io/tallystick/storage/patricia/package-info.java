/// The clue counter trie (ccMPT): a Merkle Patricia trie as Ethereum hashes it, updated by batches
/// on all cores and kept in slots of one file set per shard. {@link
/// io.tallystick.storage.patricia.PatriciaTrie} is the entry. Source: `docs/formats/clue-trie.md`;
/// LedgerDB section 6.3; Accelerating Merkle Patricia Trie with GPU, section 3.
@NullMarked
package io.tallystick.storage.patricia;

import org.jspecify.annotations.NullMarked;
