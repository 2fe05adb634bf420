package io.tallystick.proxy.execute;

import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import java.util.List;

/// What a client hands in, unverified.
///
/// @param strand where it is to go
/// @param requests one, or those of a batch in order
public record Submission(StrandId strand, List<SignedRequest> requests, Bytes attestation) {
  public Submission {
    requests = List.copyOf(requests);
  }
}
