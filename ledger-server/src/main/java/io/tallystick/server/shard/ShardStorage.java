package io.tallystick.server.shard;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamStore;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;

/// The seams that a shard stands on: its stream, its stores, its disk, its clock, and who else may
/// own it. The code that opened them closes them.
///
/// @param sharedObjects those of a shard that other processes may own; else they are on its disk
public record ShardStorage(
    Disk disk,
    MetaStore meta,
    StreamStore streams,
    StreamId stream,
    Epochs epochs,
    InstantSource clock,
    Ownership ownership,
    Optional<ObjectStore> sharedObjects) {
  /// Those of a shard whose objects are on its disk.
  public ShardStorage(
      Disk disk,
      MetaStore meta,
      StreamStore streams,
      StreamId stream,
      Epochs epochs,
      InstantSource clock,
      Ownership ownership) {
    this(disk, meta, streams, stream, epochs, clock, ownership, Optional.empty());
  }

  /// Those of a shard that no other process may own.
  public ShardStorage(
      Disk disk,
      MetaStore meta,
      StreamStore streams,
      StreamId stream,
      Epochs epochs,
      InstantSource clock) {
    this(disk, meta, streams, stream, epochs, clock, Ownership.LOCAL);
  }

  /// The shard's objects. Deletes what was begun before.
  ObjectStore openObjects() throws IOException {
    return sharedObjects.isPresent() ? sharedObjects.get() : LocalObjects.open(disk);
  }
}
