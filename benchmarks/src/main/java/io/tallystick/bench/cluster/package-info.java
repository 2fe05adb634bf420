/// `tally bench cluster`: a cluster of processes on this machine beside bare bookies and beside
/// `tally up`.
@NullMarked
package io.tallystick.bench.cluster;

import org.jspecify.annotations.NullMarked;
