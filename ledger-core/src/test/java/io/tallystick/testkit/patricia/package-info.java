/// {@link io.tallystick.testkit.patricia.ReferenceTrie}, the Ethereum trie straight from its
/// definition, by which every other trie here is judged.
@NullMarked
package io.tallystick.testkit.patricia;

import org.jspecify.annotations.NullMarked;
