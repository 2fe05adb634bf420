/// The clue trie's verifier against the reference trie. In its package, because only a clue's id is
/// asked for outside, and tests choose keys.
@NullMarked
package io.tallystick.merkle.patricia;

import org.jspecify.annotations.NullMarked;
