package io.tallystick.testkit.vectors;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A vector in the making: its operation and inputs. Immutable.
record VectorCase(String name, Map<String, Object> fields) {
  static VectorCase of(String name, String op, String description) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("desc", description);
    fields.put("op", op);
    return new VectorCase(name, fields);
  }

  /// A submission to the sample ledger by its two owners, without features.
  static VectorCase submission(String name, Submission submission, String description) {
    return submissionTo(Fixtures.ledger().strand(), name, submission, description);
  }

  static VectorCase submissionTo(
      StrandId strand, String name, Submission submission, String description) {
    return of(name, "submission", description)
        .with(strand)
        .with("keys", ownerKeys())
        .with("features", List.of())
        .with("requests", submission.requests())
        .with("attestation", submission.attestation());
  }

  static List<Bytes> ownerKeys() {
    return Fixtures.owners().stream().map(owner -> owner.publicKey().spki()).toList();
  }

  VectorCase with(StrandId strand) {
    return with("ledger", strand.ledger().digest()).with("strand", (long) strand.strand());
  }

  VectorCase with(String field, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(fields);
    more.put(field, json(value));
    return new VectorCase(name, more);
  }

  private static Object json(Object value) {
    return switch (value) {
      case Bytes bytes -> bytes.hex();
      case Digest digest -> digest.hex();
      case PublicKey key -> key.spki().hex();
      case Integer number -> number.longValue();
      case SignedRequest request -> {
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("header", request.header().hex());
        parts.put("salt", request.salt().hex());
        parts.put("body", request.body().hex());
        yield parts;
      }
      case Collection<?> items -> items.stream().map(VectorCase::json).toList();
      default -> value;
    };
  }
}
