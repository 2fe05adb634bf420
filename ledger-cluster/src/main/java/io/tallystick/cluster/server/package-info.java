/// The shards of one server of a cluster.
@NullMarked
package io.tallystick.cluster.server;

import org.jspecify.annotations.NullMarked;
