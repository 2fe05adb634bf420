/// What a process of a cluster tells its operator: health and metrics over HTTP, by {@link
/// io.tallystick.cluster.health.ManagementServer}.
@NullMarked
package io.tallystick.cluster.health;

import org.jspecify.annotations.NullMarked;
