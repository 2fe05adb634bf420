/// A cluster's shards as one node, for a proxy.
@NullMarked
package io.tallystick.cluster.proxy;

import org.jspecify.annotations.NullMarked;
