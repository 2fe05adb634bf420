/// Signed tree heads and the one rule by which they are trusted. {@link
/// io.tallystick.head.SignedHead} is what verifying a checkpoint or a receipt yields; {@link
/// io.tallystick.head.TrustRule} decides whether it may be believed. Format:
/// `docs/formats/trust.md`.
@NullMarked
package io.tallystick.head;

import org.jspecify.annotations.NullMarked;
