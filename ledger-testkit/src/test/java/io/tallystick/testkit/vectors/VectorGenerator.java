package io.tallystick.testkit.vectors;

import io.tallystick.crypto.Signatures;
import java.util.List;

/// Makes the golden vectors of requests, batches, attestations, genesis and leaves. Keys and bytes
/// come from names, so that they are always the same; a test says so.
public final class VectorGenerator {
  /// The folders it owns.
  public static final List<String> TOPICS =
      List.of("cbor", "request", "batch", "attestation", "genesis", "leaf", "certificate");

  private VectorGenerator() {}

  public static List<Vector> generate(Signatures signatures) {
    VectorSet set = new VectorSet(new VectorRunner(signatures));
    new CborVectors(set).make();
    new HeaderVectors(set).make();
    new GovernanceVectors(set).make();
    new RemovalContentVectors(set).make();
    new SubmissionVectors(set).make();
    new BodyVectors(set).make();
    new BatchVectors(set).make();
    new AttestationVectors(set).make();
    new ServiceRequestVectors(set).make();
    new GenesisVectors(set).make();
    new LeafVectors(set).make();
    new CertificateVectors(set).make();
    return set.vectors();
  }
}
