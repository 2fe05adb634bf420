package io.tallystick.testkit.vectors;

import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Writes the golden vectors of requests, batches, attestations, genesis and leaves. Keys and bytes
/// come from names, so that it always writes the same; a test says so.
public final class VectorGenerator {
  /// The folders it owns.
  public static final List<String> TOPICS =
      List.of("cbor", "request", "batch", "attestation", "genesis", "leaf");

  private VectorGenerator() {}

  public static List<Vector> generate(Signatures signatures) {
    VectorSet set = new VectorSet(new VectorRunner(signatures));
    new CborVectors(set).make();
    new HeaderVectors(set).make();
    new SubmissionVectors(set).make();
    new BodyVectors(set).make();
    new BatchVectors(set).make();
    new AttestationVectors(set).make();
    new GenesisVectors(set).make();
    new LeafVectors(set).make();
    return set.vectors();
  }

  /// @param arguments the folder `vectors`
  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[0]);
    for (Vector vector : generate(SignatureProviders.best())) {
      Path file = root.resolve(vector.name() + ".json");
      Files.createDirectories(file.resolveSibling(""));
      Files.writeString(file, vector.json());
    }
  }
}
