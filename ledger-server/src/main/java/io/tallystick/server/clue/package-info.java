/// The clue index of each strand, which is the block index of feature `CLUE_TRIE`: {@link
/// io.tallystick.server.clue.ClueStores} opens it, {@link io.tallystick.server.clue.ClueReader}
/// answers from it.
@NullMarked
package io.tallystick.server.clue;

import org.jspecify.annotations.NullMarked;
