/// `tally bench`: the service's speed over loopback, each figure beside the limit measured in the
/// same run. {@link io.tallystick.cli.bench.AppendBench} is its first.
@NullMarked
package io.tallystick.cli.bench;

import org.jspecify.annotations.NullMarked;
