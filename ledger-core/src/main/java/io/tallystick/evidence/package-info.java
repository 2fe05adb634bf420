/// Signed statements as files that a third party checks with the service's public keys alone:
/// {@link io.tallystick.evidence.HeadStatement} for one head, {@link
/// io.tallystick.evidence.ForkEvidence} for two that contradict each other. Format:
/// `docs/formats/trust.md`.
@NullMarked
package io.tallystick.evidence;

import org.jspecify.annotations.NullMarked;
