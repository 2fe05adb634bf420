package io.tallystick.server.shard;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamStore;
import java.io.IOException;
import java.time.InstantSource;

/// The seams that a shard stands on: its stream, its stores, its disk, its clock, and who else may
/// own it. The code that opened them closes them.
public record ShardStorage(
    Disk disk,
    MetaStore meta,
    StreamStore streams,
    StreamId stream,
    Epochs epochs,
    InstantSource clock,
    Ownership ownership) {
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
    return LocalObjects.open(disk);
  }
}
