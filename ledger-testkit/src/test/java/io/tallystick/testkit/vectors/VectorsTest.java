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
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: every golden vector ends as its file says, with every provider, and the files are exactly
/// what the generator makes. Method: run all files; generate anew and compare bytes; run with
/// `-Dtallystick.write-vectors=true` to write them.
class VectorsTest {
  private static final Path ROOT = Path.of("src/test/resources/vectors");

  static List<Vector> files() {
    return VectorGenerator.TOPICS.stream()
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
        OptionalInt index =
            vector.find("wantIndex").stream().mapToInt(i -> Math.toIntExact((Long) i)).findFirst();
        assertThat(refused.index()).isEqualTo(index);
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
    List<Vector> generated = VectorGenerator.generate(SignatureProviders.best());
    if (Boolean.getBoolean("tallystick.write-vectors")) {
      Vectors.write(ROOT, generated);
    }
    for (Vector vector : generated) {
      assertThat(Files.readString(ROOT.resolve(vector.name() + ".json"))).isEqualTo(vector.json());
    }
    List<Vector> files = files();
    assertThat(files.stream().map(Vector::name).toList())
        .containsExactlyInAnyOrderElementsOf(generated.stream().map(Vector::name).toList());
    assertThat(files.size()).isGreaterThan(200);
  }

  @Test
  void aFlippedSignatureHasTheSameId() {
    List<Vector> signed = Vectors.read(ROOT, "request/signature");
    assertThat(want(signed, "es256-flipped-s-has-the-same-signature-id").get("signatureIds"))
        .isEqualTo(want(signed, "es256").get("signatureIds"));
    assertThat(want(signed, "es256-flipped-s-has-the-same-signature-id").get("attestHash"))
        .isNotEqualTo(want(signed, "es256").get("attestHash"));
  }

  private static Map<?, ?> want(List<Vector> vectors, String name) {
    return vectors.stream()
        .filter(vector -> vector.name().equals("request/signature/" + name))
        .map(vector -> (Map<?, ?>) vector.find("want").orElseThrow())
        .findFirst()
        .orElseThrow();
  }
}
