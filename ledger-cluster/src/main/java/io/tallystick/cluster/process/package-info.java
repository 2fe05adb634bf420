/// The commands that run one process of a cluster each.
@NullMarked
package io.tallystick.cluster.process;

import org.jspecify.annotations.NullMarked;
