/// Removals: makes the snapshots that purges name, and carries occults and purges out in the
/// background, to the end whatever crashes.
@NullMarked
package io.tallystick.server.removal;

import org.jspecify.annotations.NullMarked;
