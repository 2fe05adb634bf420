package io.tallystick.proxy.execute;

import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import java.util.List;

/// A submission as a client hands it in, unverified.
///
/// @param strand where it is to go
/// @param requests one, or those of a batch in order
public record UnverifiedSubmission(
    StrandId strand, List<SignedRequest> requests, Bytes attestation) {
  public UnverifiedSubmission {
    requests = List.copyOf(requests);
  }
}
