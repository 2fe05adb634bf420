package io.tallystick.journal;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import java.util.List;

/// A submission that passed every check that needs neither clock nor history. What is left to the
/// sequencer: replay, times, and whether keys and roles hold at its jsn.
///
/// @param headers decoded, one for each of `requests`
/// @param attestationBytes the attestation as received, which is its only encoding
/// @param signers ascending by kid
public record VerifiedSubmission(
    StrandId strand,
    List<SignedRequest> requests,
    List<RequestHeader> headers,
    List<Digest> requestHashes,
    Attestation attestation,
    Bytes attestationBytes,
    Digest attestHash,
    List<AttestationVerifier.Signer> signers) {
  public VerifiedSubmission {
    requests = List.copyOf(requests);
    headers = List.copyOf(headers);
    requestHashes = List.copyOf(requestHashes);
    signers = List.copyOf(signers);
  }

  public boolean batch() {
    return requests.size() > 1;
  }

  public List<Digest> signatureIds() {
    if (signers.size() == 1) {
      return List.of(signers.getFirst().signatureId());
    }
    return signers.stream().map(AttestationVerifier.Signer::signatureId).toList();
  }

  public List<Digest> signerKids() {
    if (signers.size() == 1) {
      return List.of(signers.getFirst().kid());
    }
    return signers.stream().map(AttestationVerifier.Signer::kid).toList();
  }

  /// When the last of its requests expires: how long its signature ids must be remembered.
  public long latestExpiryMs() {
    long latest = 0;
    for (int i = 0; i < headers.size(); i++) {
      latest = Math.max(latest, headers.get(i).expiresMs());
    }
    return latest;
  }
}
