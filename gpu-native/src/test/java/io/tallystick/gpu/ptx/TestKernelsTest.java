package io.tallystick.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: the PTX of the tests is what its sources say. Method: the digests that `regen` wrote, of
/// the script, the sources and the PTX.
@Tag("interpreted")
class TestKernelsTest {

  private static byte[] resource(String name) throws IOException {
    try (InputStream file = TestKernelsTest.class.getResourceAsStream(name)) {
      return Objects.requireNonNull(file, name).readAllBytes();
    }
  }

  @Test
  void noFileHasChangedSinceItWasCompiled() throws IOException, NoSuchAlgorithmException {
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    List<String> lines =
        new String(resource("sources"), StandardCharsets.US_ASCII).lines().toList();
    assertThat(lines).hasSize(8);
    for (String line : lines) {
      String name = line.substring(66);
      String digest = HexFormat.of().formatHex(sha256.digest(resource(name)));
      assertThat(line).isEqualTo(digest + "  " + name);
    }
  }
}
