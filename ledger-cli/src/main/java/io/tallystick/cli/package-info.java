/// The `tally` command. {@link io.tallystick.cli.Tally} is its main class, and alone knows all
/// commands.
@NullMarked
package io.tallystick.cli;

import org.jspecify.annotations.NullMarked;
