package io.tallystick.server.sequencer;

import io.tallystick.model.Bytes;
import java.util.Map;

/// The values of some keys as of a sealed block, read before their operations are decided upon: the
/// sequencer itself never reads a disk.
///
/// @param height of the block
/// @param held of the keys that were asked for; one that is not in it had no entry
public record KeyReading(long height, Map<Bytes, Standing> held) {
  public KeyReading {
    held = Map.copyOf(held);
  }
}
