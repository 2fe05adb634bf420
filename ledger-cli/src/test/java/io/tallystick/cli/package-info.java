/// The whole system through its real entry points: the `tally` command, the service, the SDK.
@NullMarked
package io.tallystick.cli;

import org.jspecify.annotations.NullMarked;
