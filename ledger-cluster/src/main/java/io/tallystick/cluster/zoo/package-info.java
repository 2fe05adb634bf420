/// Coordination by Apache ZooKeeper.
@NullMarked
package io.tallystick.cluster.zoo;

import org.jspecify.annotations.NullMarked;
