package io.tallystick.server.ship;

import io.tallystick.storage.stream.StreamId;
import java.util.function.Function;

/// Where the savepoints of a cluster's shards are.
///
/// @param stores of the pieces of a shard
/// @param pointers to the savepoints of a shard
/// @param software that ships and fetches them
public record ShippingPlaces(
    Function<StreamId, SavepointStore> stores,
    Function<StreamId, SavepointPointer> pointers,
    SavepointManifest.Software software) {}
