/// Options that commands of several packages take, and how a key, a role and a file are named. Sees
/// no command.
@NullMarked
package io.tallystick.cli.option;

import org.jspecify.annotations.NullMarked;
