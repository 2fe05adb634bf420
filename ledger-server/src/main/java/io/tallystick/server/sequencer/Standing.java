package io.tallystick.server.sequencer;

import io.tallystick.model.Digest;
import org.jspecify.annotations.Nullable;

/// The value that the newest operation on a key left.
///
/// @param jsn of its journal
/// @param valueCommit of the value; null if it deleted the key
public record Standing(long jsn, @Nullable Digest valueCommit) {}
