/// Clue and lineage proofs against the reference trie and tree.
@NullMarked
package io.tallystick.testkit.lineage;

import org.jspecify.annotations.NullMarked;
