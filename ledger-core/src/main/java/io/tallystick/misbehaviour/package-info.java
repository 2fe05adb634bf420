/// Misdeeds of a service that its own signatures prove, as files that a third party checks with the
/// ledgerId alone. Start at {@link io.tallystick.misbehaviour.Misbehaviour}. Format:
/// `docs/formats/people-and-time.md`.
@NullMarked
package io.tallystick.misbehaviour;

import org.jspecify.annotations.NullMarked;
