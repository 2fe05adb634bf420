package io.tallystick.server.world;

import io.tallystick.model.Digest;
import java.util.List;

/// The signers that a purge needs, as the snapshot says that the purge names.
///
/// @param affected kids of those who must sign
/// @param absent those of them in whose place a regulator signs
/// @param from where the purge before ended when the snapshot was made
public record PurgeTerms(List<Digest> affected, List<Digest> absent, long from) {
  public PurgeTerms {
    affected = List.copyOf(affected);
    absent = List.copyOf(absent);
  }
}
