/// The state of a ledger: {@link io.tallystick.cli.state.StateCommand}. Sees no other commands.
@NullMarked
package io.tallystick.cli.state;

import org.jspecify.annotations.NullMarked;
