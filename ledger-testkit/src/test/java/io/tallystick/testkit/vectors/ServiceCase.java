package io.tallystick.testkit.vectors;

import io.tallystick.testkit.ReferenceLedger;

/// A vector about evidence that the sample log's service has signed, or seems to have.
final class ServiceCase {
  private ServiceCase() {}

  static VectorCase of(ReferenceLedger log, String name, String op, String description) {
    return VectorCase.of(name, op, description)
        .with(log.strand())
        .with("authority", log.keys().authority().value())
        .with("noteKey", log.keys().noteKey())
        .with("receiptKey", log.keys().receiptKey());
  }
}
