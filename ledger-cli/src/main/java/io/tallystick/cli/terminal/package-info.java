/// What every command has in common: how it answers, in text or JSON ({@link
/// io.tallystick.cli.terminal.Output}), shows progress, explains a failure and ends.
@NullMarked
package io.tallystick.cli.terminal;

import org.jspecify.annotations.NullMarked;
