/// The commands for checks that anybody can make, and for what these need: `audit`, `verify`,
/// `evidence`, `anchor`, `export`, `time`. Sees no other commands.
@NullMarked
package io.tallystick.cli.audit;

import org.jspecify.annotations.NullMarked;
