/// How what a ledger holds is shown: a head, a journal, a state, an erased body, a proposal. Sees
/// no option and no command.
@NullMarked
package io.tallystick.cli.text;

import org.jspecify.annotations.NullMarked;
