package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: every provider answers Project Wycheproof's vectors as they say. Method: the files are
/// read from `DIR/wycheproof`, DIR being the system property `tallystick.vectors`.
class WycheproofTest {
  private static final String PROPERTY = "tallystick.vectors";

  @ParameterizedTest
  @ValueSource(strings = {"ed25519_test.json", "ecdsa_secp256r1_sha256_p1363_test.json"})
  void answersEveryVector(String file) throws IOException, MalformedException {
    String directory = System.getProperty(PROPERTY);
    assumeTrue(directory != null, "no vectors: name their directory with -D" + PROPERTY + "=DIR");
    Path path = Path.of(String.valueOf(directory), "wycheproof", file);
    JsonObject vectors = JsonParser.parseString(Files.readString(path)).getAsJsonObject();
    int tests = 0;
    for (JsonElement group : vectors.getAsJsonArray("testGroups")) {
      tests += checkGroup(group.getAsJsonObject());
    }
    assertThat(tests).isEqualTo(vectors.get("numberOfTests").getAsInt());
  }

  private static int checkGroup(JsonObject group) throws MalformedException {
    PublicKey key = PublicKey.ofSpki(Bytes.wrap(bytes(group, "publicKeyDer")));
    int tests = 0;
    for (JsonElement element : group.getAsJsonArray("tests")) {
      JsonObject test = element.getAsJsonObject();
      for (Signatures provider : SignatureProviders.all()) {
        assertThat(Accepts.accepts(provider, key, bytes(test, "msg"), bytes(test, "sig")))
            .as("%s: %s", provider.providerName(), test)
            .isEqualTo(test.get("result").getAsString().equals("valid"));
      }
      tests++;
    }
    return tests;
  }

  private static byte[] bytes(JsonObject object, String name) {
    return HexFormat.of().parseHex(object.get(name).getAsString());
  }
}
