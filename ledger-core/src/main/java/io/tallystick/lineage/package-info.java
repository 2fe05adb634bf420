/// The journals of a clue, verified under a trusted head: {@link io.tallystick.lineage.ClueProof}
/// shows how many there are, or that there are none, {@link io.tallystick.lineage.LineageProof}
/// shows them, {@link io.tallystick.lineage.VerifiedLineage} says of what part of the log they are
/// all; {@link io.tallystick.lineage.LineageFile} is the evidence to keep. Format:
/// `docs/formats/lineage.md`.
@NullMarked
package io.tallystick.lineage;

import org.jspecify.annotations.NullMarked;
