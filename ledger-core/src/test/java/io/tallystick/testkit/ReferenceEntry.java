package io.tallystick.testkit;

import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import java.util.Optional;

/// One entry of a reference log.
///
/// @param attestation with genesis and the first journal of a submission; empty with others
/// @param request with its salt and body; empty for genesis and seals
public record ReferenceEntry(Bytes leaf, Bytes attestation, Optional<SignedRequest> request) {

  public ReferenceEntry withLeaf(Bytes newLeaf) {
    return new ReferenceEntry(newLeaf, attestation, request);
  }

  public ReferenceEntry withAttestation(Bytes newAttestation) {
    return new ReferenceEntry(leaf, newAttestation, request);
  }

  public ReferenceEntry withRequest(SignedRequest newRequest) {
    return new ReferenceEntry(leaf, attestation, Optional.of(newRequest));
  }
}
