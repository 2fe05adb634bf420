package io.tallystick.testkit.vectors;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.testkit.vectors.Outcome.Accepted;
import io.tallystick.testkit.vectors.Outcome.Refused;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: every golden vector of proofs, heads and receipts ends as its file says, with every
/// provider, and the files are byte for byte what the generator makes. Method: run all; generate
/// anew, compare; run with `-Dtallystick.write-vectors=true` to write them.
class ProofVectorsTest {
  private static final Path ROOT = Path.of("src/test/resources/vectors");

  static List<Vector> files() {
    return ProofVectorGenerator.TOPICS.stream()
        .flatMap(topic -> Vectors.read(ROOT, topic).stream())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyVectorEndsAsItsFileSays(Vector vector) {
    for (Signatures provider : SignatureProviders.all()) {
      Outcome outcome = new VectorRunner(provider).run(vector);
      if (vector.wantErr()) {
        assertThat(outcome).as(provider.providerName()).isInstanceOf(Refused.class);
        Refused refused = (Refused) outcome;
        assertThat(refused.code()).as(refused.detail()).isEqualTo(vector.text("wantCode"));
        assertThat(refused.detail()).isNotBlank();
      } else {
        Map<?, ?> want = (Map<?, ?>) vector.find("want").orElseThrow();
        assertThat(outcome).as(provider.providerName()).isInstanceOf(Accepted.class);
        assertThat(((Accepted) outcome).results()).isEqualTo(want);
      }
    }
  }

  @Test
  void theFilesAreWhatTheGeneratorMakes() throws IOException {
    List<Vector> generated = ProofVectorGenerator.generate(SignatureProviders.best());
    if (Boolean.getBoolean("tallystick.write-vectors")) {
      Vectors.write(ROOT, generated);
    }
    for (Vector vector : generated) {
      assertThat(Files.readString(ROOT.resolve(vector.name() + ".json"))).isEqualTo(vector.json());
    }
    assertThat(files().stream().map(Vector::name).toList())
        .containsExactlyInAnyOrderElementsOf(generated.stream().map(Vector::name).toList());
    assertThat(files().stream().filter(Vector::wantErr).count()).isGreaterThan(130);
  }
}
