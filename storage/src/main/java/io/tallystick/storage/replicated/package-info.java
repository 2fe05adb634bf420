/// Streams that several machines hold, so that one of them may be lost and another may go on
/// writing. `ReplicatedStreamStore` is the entry. It stands on two facades: {@link
/// io.tallystick.storage.replicated.ReplicatedLogs}, which Apache BookKeeper gives, and {@link
/// io.tallystick.storage.replicated.Coordination}, which Apache ZooKeeper gives. Source:
/// `docs/formats/replicated.md`.
@NullMarked
package io.tallystick.storage.replicated;

import org.jspecify.annotations.NullMarked;
