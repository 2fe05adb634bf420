/// Values that all machines of a cluster share, and how they are changed: {@link
/// io.tallystick.master.coordinated.SettledChanges} finds out whether a change was made whose
/// answer was lost, {@link io.tallystick.master.coordinated.ReadsBehindWrites} reads nothing old,
/// {@link io.tallystick.master.coordinated.SharedValue} has what all encodings have in common.
@NullMarked
package io.tallystick.master.coordinated;

import org.jspecify.annotations.NullMarked;
