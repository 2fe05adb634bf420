/// The checks of a leaf that need all those before it, in their order: {@link
/// io.tallystick.audit.history.Replay}. Sees `options` and what that sees, and `replay`.
@NullMarked
package io.tallystick.audit.history;

import org.jspecify.annotations.NullMarked;
