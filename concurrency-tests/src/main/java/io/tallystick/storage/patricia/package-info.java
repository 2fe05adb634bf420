/// Stress tests of the two ways to bring a batch into the clue trie. In the package of what they
/// test, whose nodes are its own.
@NullMarked
package io.tallystick.storage.patricia;

import org.jspecify.annotations.NullMarked;
