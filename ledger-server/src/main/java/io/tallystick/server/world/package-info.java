/// World state of a shard: the ledgers it holds and their members, as rows of the meta store.
/// {@link io.tallystick.server.world.LedgerGenesis} is the entry.
@NullMarked
package io.tallystick.server.world;

import org.jspecify.annotations.NullMarked;
