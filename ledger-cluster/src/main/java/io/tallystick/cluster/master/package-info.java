/// A master of a cluster.
@NullMarked
package io.tallystick.cluster.master;

import org.jspecify.annotations.NullMarked;
