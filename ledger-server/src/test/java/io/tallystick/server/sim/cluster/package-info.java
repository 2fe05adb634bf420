/// A simulator of servers that share a shard: {@link
/// io.tallystick.server.sim.cluster.ClusterSimulation} is one run of one seed. How it is run:
/// docs/testing.md.
///
/// *Real*: the shard with its three acts of recovery, its lease and its failure policy; claims; the
/// stream store.
///
/// *Simulated*, all from one seed: logs and coordination ({@link io.tallystick.testkit.cluster}),
/// each server's disk and clocks, the network, clients. Each server has a thread, and one of all
/// threads runs: at each step that a server takes towards others it may be stopped for seconds,
/// die, or find its log closed by a third party. Servers claim the shard whenever somebody suspects
/// the owner, mostly wrongly.
///
/// *Checked* by {@link io.tallystick.server.sim.cluster.ClusterHistory}: there is one history.
@NullMarked
package io.tallystick.server.sim.cluster;

import org.jspecify.annotations.NullMarked;
