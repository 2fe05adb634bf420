/// Streams that several machines hold: one machine may be lost, and another server may go on
/// writing. `ReplicatedStreamStore` is the entry. It stands on two facades: `ReplicatedLogs`, which
/// Apache BookKeeper gives, and `Coordination`, which Apache ZooKeeper gives. Source:
/// `docs/formats/replicated.md`.
@NullMarked
package io.tallystick.storage.replicated;

import org.jspecify.annotations.NullMarked;
