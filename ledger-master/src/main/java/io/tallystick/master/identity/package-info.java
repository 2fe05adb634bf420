/// What a cluster is, and who may write a shard of it: {@link
/// io.tallystick.master.identity.ClusterFounding} makes it once, {@link
/// io.tallystick.master.identity.KeyPairsListed} adds key pairs, {@link
/// io.tallystick.master.identity.ClaimChecks} refuses a server that must not claim.
@NullMarked
package io.tallystick.master.identity;

import org.jspecify.annotations.NullMarked;
