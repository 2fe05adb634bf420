package io.tallystick.testkit.vectors;

import java.util.Collections;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/// What came of carrying a vector out.
public sealed interface Outcome {
  /// @param results named hashes in hex, numbers and texts; compared as a whole
  record Accepted(Map<String, Object> results) implements Outcome {
    public Accepted {
      results = Collections.unmodifiableMap(new TreeMap<>(results));
    }
  }

  /// @param code a `RejectionCode` or `Reason` by name, `MALFORMED` for what cannot be decoded
  /// @param index which request of a batch
  record Refused(String code, OptionalInt index, String detail) implements Outcome {}
}
