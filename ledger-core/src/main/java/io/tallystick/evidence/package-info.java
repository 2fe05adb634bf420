/// Signed statements as files that a third party checks with the service's public keys alone:
/// {@link io.tallystick.evidence.HeadStatement} for one head, {@link
/// io.tallystick.evidence.ForkEvidence} for two that contradict each other, {@link
/// io.tallystick.evidence.KeyChain} for how the keys came from those of genesis, {@link
/// io.tallystick.evidence.JournalProof} for a document, {@link io.tallystick.evidence.Anchor} for a
/// head to start from. Format: `docs/formats/trust.md`, `docs/formats/people-and-time.md`,
/// `docs/formats/journal-proof.md`.
@NullMarked
package io.tallystick.evidence;

import org.jspecify.annotations.NullMarked;
