/// Twins of the storage seams that run in memory and fail on command: {@link
/// io.tallystick.testkit.fault.CrashPlan} says at which operation, counted over disk and meta store
/// alike.
@NullMarked
package io.tallystick.testkit.fault;

import org.jspecify.annotations.NullMarked;
