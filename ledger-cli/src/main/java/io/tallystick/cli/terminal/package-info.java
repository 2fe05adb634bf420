/// The behaviour that all commands share: how they answer, in text or JSON ({@link
/// io.tallystick.cli.terminal.Output}), show progress, explain a failure and end.
@NullMarked
package io.tallystick.cli.terminal;

import org.jspecify.annotations.NullMarked;
