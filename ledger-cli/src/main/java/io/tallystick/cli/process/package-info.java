/// Services in processes of their own, for commands that need one for a while: {@link
/// io.tallystick.cli.process.ServiceProcess}.
@NullMarked
package io.tallystick.cli.process;

import org.jspecify.annotations.NullMarked;
