/// The `tally` command. {@link io.tallystick.cli.Tally} is its main class.
@NullMarked
package io.tallystick.cli;

import org.jspecify.annotations.NullMarked;
