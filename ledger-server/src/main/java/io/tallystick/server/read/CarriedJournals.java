package io.tallystick.server.read;

import io.tallystick.model.Bytes;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Optional;

/// The journals below a purge that stay readable: genesis, and those that govern. Thread-safe.
public interface CarriedJournals {
  /// Of a log that no purge concerns.
  CarriedJournals NONE = (_, _) -> Optional.empty();

  record Carried(Bytes leaf, Bytes attestation) {}

  /// @return empty if the journal is not carried
  Optional<Carried> find(StrandIndex strand, long jsn) throws IOException, CorruptStreamException;
}
