/// Certificates of a cluster, for tests: {@link io.tallystick.testkit.wire.TestCluster}.
@NullMarked
package io.tallystick.testkit.wire;

import org.jspecify.annotations.NullMarked;
