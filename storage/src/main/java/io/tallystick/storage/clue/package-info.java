/// The clue index of a strand: which journals carry a clue, in order, and the RFC 9162 tree over
/// them. {@link io.tallystick.storage.clue.ClueIndex} is the entry; the format is in
/// `docs/formats/clue-index.md`. Source: LedgerDB section 6.2 (cSL).
@NullMarked
package io.tallystick.storage.clue;

import org.jspecify.annotations.NullMarked;
