/// Brings whole shards into a cluster and out of it: imports, backups, restores.
@NullMarked
package io.tallystick.cluster.transfer;

import org.jspecify.annotations.NullMarked;
