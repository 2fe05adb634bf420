package io.tallystick.audit;

import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import java.io.InputStream;
import java.util.Optional;

/// A whole log of a test, whose source has nothing beside its entries.
interface LoneLog extends LogSource {
  @Override
  default Optional<Bytes> keyChain() {
    return Optional.empty();
  }

  @Override
  default Optional<Bytes> cosigned() {
    return Optional.empty();
  }

  @Override
  default Optional<PurgedStart> purged() {
    return Optional.empty();
  }

  @Override
  default Optional<InputStream> purgedClues() {
    return Optional.empty();
  }

  @Override
  default Optional<InputStream> purgedState() {
    return Optional.empty();
  }

  @Override
  default Optional<ConsistencyProof> consistency(long from, long to) {
    return Optional.empty();
  }

  @Override
  default Optional<Bytes> leafHashes(long index, int width) {
    return Optional.empty();
  }
}
