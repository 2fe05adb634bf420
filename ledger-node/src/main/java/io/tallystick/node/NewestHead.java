package io.tallystick.node;

import io.tallystick.note.Checkpoint;
import java.util.Optional;

/// The newest sealed head of a strand.
///
/// @param covering the time journal that covers every journal but itself; empty if there is none
public record NewestHead(Checkpoint head, Optional<StampedHead> covering) {}
