/// Twins of what a cluster stands on: {@link io.tallystick.testkit.cluster.TwinLogs} of BookKeeper
/// and {@link io.tallystick.testkit.cluster.TwinCoordination} of ZooKeeper. One seed decides all
/// that goes wrong in them.
@NullMarked
package io.tallystick.testkit.cluster;

import org.jspecify.annotations.NullMarked;
