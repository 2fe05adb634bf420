package io.tallystick.testkit;

import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import java.util.List;

/// What a client sends in one append: one request or a batch, and the encoded attestation.
public record Submission(List<SignedRequest> requests, Bytes attestation) {
  public Submission {
    requests = List.copyOf(requests);
  }
}
