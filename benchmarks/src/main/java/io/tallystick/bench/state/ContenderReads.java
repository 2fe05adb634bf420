package io.tallystick.bench.state;

import io.tallystick.model.Bytes;
import java.util.Optional;

/// Reads one version of a state. Thread-safe.
@FunctionalInterface
interface ContenderReads {
  /// The value of a key; empty if there is none. A contender that can prove its values checks the
  /// value against what its tree commits to.
  Optional<Bytes> get(Bytes key) throws Exception;
}
