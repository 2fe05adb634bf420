/// Savepoints that leave the machine, so that another one can go on from them: {@link
/// io.tallystick.server.ship.SavepointShipper} ships them, {@link
/// io.tallystick.server.ship.SavepointFetcher} makes a shard's directory of one. Source:
/// docs/formats/shipped-savepoint.md.
@NullMarked
package io.tallystick.server.ship;

import org.jspecify.annotations.NullMarked;
