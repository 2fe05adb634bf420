package io.tallystick.server.read;

import io.tallystick.model.Bytes;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The journals below a purge that stay readable: genesis, and those that govern. Thread-safe.
public interface CarriedJournals {
  /// The journals carried over in a log that no purge concerns: none.
  CarriedJournals NONE = _ -> new TreeMap<>();

  record Carried(Bytes leaf, Bytes attestation) {}

  /// By jsn.
  NavigableMap<Long, Carried> of(StrandIndex strand) throws IOException, CorruptStreamException;

  /// @return empty if the journal is not carried
  default Optional<Carried> find(StrandIndex strand, long jsn)
      throws IOException, CorruptStreamException {
    return Optional.ofNullable(of(strand).get(jsn));
  }
}
