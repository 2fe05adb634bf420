package io.tallystick.server.ship;

import io.tallystick.storage.stream.StreamId;
import java.util.function.Function;

/// Where the savepoints and the objects of a cluster's shards are.
///
/// @param stores of the pieces of a shard
/// @param objects of a shard, and nothing else
/// @param pointers to the savepoints of a shard
/// @param software that ships and fetches them
public record ShippingPlaces(
    Function<StreamId, SavepointStore> stores,
    Function<StreamId, SavepointStore> objects,
    Function<StreamId, SavepointPointer> pointers,
    SavepointManifest.Software software) {}
