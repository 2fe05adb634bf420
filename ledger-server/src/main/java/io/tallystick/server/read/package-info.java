/// Reads sealed journals back from the commit stream, and proves them. {@link
/// io.tallystick.server.read.LogReader} reads, {@link io.tallystick.server.read.Evidence} proves.
@NullMarked
package io.tallystick.server.read;

import org.jspecify.annotations.NullMarked;
