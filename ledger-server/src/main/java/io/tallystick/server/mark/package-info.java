/// Marks that someone has put on ledgers, as notes: {@link
/// io.tallystick.server.mark.ReadOnlyMarks}.
@NullMarked
package io.tallystick.server.mark;

import org.jspecify.annotations.NullMarked;
