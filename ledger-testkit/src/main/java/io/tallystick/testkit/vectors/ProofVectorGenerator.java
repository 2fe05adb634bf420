package io.tallystick.testkit.vectors;

import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Writes the golden vectors of proofs, checkpoints, receipts and the trust rule. It always writes
/// the same; a test says so.
public final class ProofVectorGenerator {
  /// The folders it owns.
  public static final List<String> TOPICS =
      List.of(
          "inclusion", "consistency", "range", "checkpoint", "receipt", "rangereceipt", "trust");

  private ProofVectorGenerator() {}

  public static List<Vector> generate(Signatures signatures) {
    VectorSet set = new VectorSet(new VectorRunner(signatures));
    new InclusionVectors(set).make();
    new ConsistencyVectors(set).make();
    new RangeVectors(set).make();
    new CheckpointVectors(set).make();
    new ReceiptVectors(set).make();
    new RangeReceiptVectors(set).make();
    new TrustVectors(set).make();
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
