package io.tallystick.server.shard;

import io.tallystick.server.read.LogReader;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.sequencer.Sequencer;

/// What can be read of one opening of a shard that follows its stream, as of the end of a turn.
///
/// @param nextFrame the first one that was not replayed then
public record FollowedView(Sequencer sequencer, Indexer indexer, LogReader log, long nextFrame) {}
