package io.tallystick.testkit.vectors;

import io.tallystick.model.Bytes;
import io.tallystick.testkit.SampleState;
import java.util.List;
import java.util.Optional;

/// Vectors of topic `forest` in the making.
final class ForestCases {
  private ForestCases() {}

  static VectorCase lookup(String name, SampleState log, int size, Bytes key, Bytes proof) {
    return service("lookup/" + name, "stateLookup", log, size)
        .with("key", key)
        .with("proof", proof);
  }

  /// @param keys those asked for
  static VectorCase lookups(String name, SampleState log, int size, List<Bytes> keys, Bytes proof) {
    return service("lookups/" + name, "stateLookups", log, size)
        .with("keys", keys)
        .with("proof", proof);
  }

  static VectorCase range(
      String name, SampleState log, int size, Bytes from, Optional<Bytes> to, Bytes proof) {
    VectorCase made =
        service("range/" + name, "stateRange", log, size).with("from", from).with("proof", proof);
    return to.isPresent() ? made.with("to", to.get()) : made;
  }

  /// A file, which holds its head.
  static VectorCase file(String name, String op, SampleState log) {
    return service("file/" + name, op, log);
  }

  private static VectorCase service(String name, String op, SampleState log, int size) {
    return service(name, op, log).with("head", log.checkpoint(size));
  }

  private static VectorCase service(String name, String op, SampleState log) {
    return of(name, op)
        .with(log.strand())
        .with("authority", log.keys().authority().value())
        .with("noteKey", log.keys().noteKey())
        .with("receiptKey", log.keys().receiptKey());
  }

  static VectorCase of(String name, String op) {
    String description = name.substring(name.indexOf('/') + 1).replace('-', ' ');
    return VectorCase.of("forest/" + name, op, description);
  }
}
