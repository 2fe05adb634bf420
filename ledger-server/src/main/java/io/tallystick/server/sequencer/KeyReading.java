package io.tallystick.server.sequencer;

import io.tallystick.model.Bytes;
import java.util.Map;

/// The values of some keys as of a sealed block: those of an append's preconditions.
///
/// @param height of the block
/// @param held of the keys that were asked for; one that is not in it had no entry
public record KeyReading(long height, Map<Bytes, Standing> held) implements Prepared {
  public KeyReading {
    held = Map.copyOf(held);
  }
}
