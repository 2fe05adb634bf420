package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tallystick.crypto.Signatures;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// Goal: every provider answers the published edge cases of Ed25519 the way our rule does. Method:
/// the expected answers stand, with their reasons, in the vector file; they follow from the rule
/// and from the paper's description of each case.
class TamingEdDsasTest {
  private static final String VECTORS = "/vectors/ed25519/taming-the-many-eddsas.json";

  @Test
  void answersThePublishedEdgeCasesByOurRule() throws IOException {
    int cases = 0;
    for (JsonElement element : vectors().getAsJsonArray("cases")) {
      JsonObject vector = element.getAsJsonObject();
      for (Signatures provider : SignatureProviders.all()) {
        boolean accepted =
            Accepts.accepts(
                provider,
                Accepts.ed25519(bytes(vector, "publicKey")),
                bytes(vector, "message"),
                bytes(vector, "signature"));
        assertThat(accepted)
            .as("%s, case %d: %s", provider.providerName(), cases, vector.get("why"))
            .isEqualTo(vector.get("accept").getAsBoolean());
      }
      cases++;
    }
    assertThat(cases).isEqualTo(12);
  }

  private static JsonObject vectors() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(TamingEdDsasTest.class.getResourceAsStream(VECTORS))) {
      return JsonParser.parseReader(new InputStreamReader(in, StandardCharsets.UTF_8))
          .getAsJsonObject();
    }
  }

  private static byte[] bytes(JsonObject vector, String name) {
    return HexFormat.of().parseHex(vector.get(name).getAsString());
  }
}
