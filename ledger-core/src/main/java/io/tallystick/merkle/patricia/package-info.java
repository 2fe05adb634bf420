/// The clue trie as a verifier needs it, an Ethereum Merkle Patricia trie: {@link
/// io.tallystick.merkle.patricia.TrieProof} shows what a clue's value is, or that it has none,
/// under a {@link io.tallystick.merkle.patricia.ClueRoot}; {@link
/// io.tallystick.merkle.patricia.ClueValue} is that value. Nothing here builds or stores a trie.
/// Format: `docs/formats/clue-trie.md`.
@NullMarked
package io.tallystick.merkle.patricia;

import org.jspecify.annotations.NullMarked;
