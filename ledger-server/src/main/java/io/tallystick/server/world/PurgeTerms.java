package io.tallystick.server.world;

import io.tallystick.model.Digest;
import java.util.List;

/// What the snapshot that a purge names says of its signers.
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
