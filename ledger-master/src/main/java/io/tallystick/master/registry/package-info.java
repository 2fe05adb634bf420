/// Which shard has a ledger: {@link io.tallystick.master.registry.ClusterRegistry}. It makes
/// founding atomic in the whole cluster: no ledger is founded in two shards.
@NullMarked
package io.tallystick.master.registry;

import org.jspecify.annotations.NullMarked;
