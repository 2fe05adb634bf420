/// The `tally` command against a cluster.
@NullMarked
package io.tallystick.cli;

import org.jspecify.annotations.NullMarked;
