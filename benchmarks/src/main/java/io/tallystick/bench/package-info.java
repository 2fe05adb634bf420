/// `tally bench`: what the service, and parts of it, do on this machine. {@link
/// io.tallystick.bench.Bench} is its main class.
@NullMarked
package io.tallystick.bench;

import org.jspecify.annotations.NullMarked;
