package io.tallystick.server.shard;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamStore;
import java.time.InstantSource;

/// The storage seams of a shard. The code that opened them owns them.
public record ShardStorage(
    Disk disk,
    MetaStore meta,
    StreamStore streams,
    StreamId stream,
    Epochs epochs,
    InstantSource clock) {}
