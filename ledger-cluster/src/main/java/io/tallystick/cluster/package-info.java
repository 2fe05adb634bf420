/// What each process of a cluster stands on.
@NullMarked
package io.tallystick.cluster;

import org.jspecify.annotations.NullMarked;
