package io.tallystick.testkit.patricia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bouncycastle.jcajce.provider.digest.Keccak;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the reference trie is Ethereum's. Method: the official TrieTests, read from
/// `DIR/ethereum-trietests`, DIR being the system property `tallystick.vectors`.
class EthereumTrieTest {
  private static final String PROPERTY = "tallystick.vectors";

  private record Step(Bytes key, Bytes value) {}

  @ParameterizedTest
  @CsvSource({
    "trietest.json, false, 5",
    "trietest_secureTrie.json, true, 3",
    "trieanyorder.json, false, 7",
    "trieanyorder_secureTrie.json, true, 7",
    "hex_encoded_securetrie_test.json, true, 3"
  })
  void hasTheRootOfEveryOfficialTest(String file, boolean secure, int tests) throws IOException {
    JsonObject all = read(file);
    for (Map.Entry<String, JsonElement> test : all.entrySet()) {
      JsonObject body = test.getValue().getAsJsonObject();
      Digest want = Digest.of(bytes(body.get("root")));
      List<Step> steps = steps(body.get("in"), secure);
      assertThat(root(steps)).as(test.getKey()).isEqualTo(want);
      if (body.get("in").isJsonObject()) {
        assertThat(root(steps.reversed())).as(test.getKey()).isEqualTo(want);
      }
    }
    assertThat(all.size()).isEqualTo(tests);
  }

  @Test
  void findsTheNeighboursOfEveryOfficialTest() throws IOException {
    JsonObject test = read("trietestnextprev.json").getAsJsonObject("basic");
    ReferenceTrie trie = new ReferenceTrie();
    test.getAsJsonArray("in").forEach(key -> trie.put(bytes(key), bytes(key)));
    JsonArray tests = test.getAsJsonArray("tests");
    for (JsonElement element : tests) {
      JsonArray row = element.getAsJsonArray();
      byte[] key = bytes(row.get(0));
      assertThat(trie.keyBefore(key)).as("before %s", row).isEqualTo(neighbour(row.get(1)));
      assertThat(trie.keyAfter(key)).as("after %s", row).isEqualTo(neighbour(row.get(2)));
    }
    assertThat(tests).hasSize(12);
  }

  private static Optional<Bytes> neighbour(JsonElement text) {
    return Optional.of(Bytes.wrap(bytes(text))).filter(key -> !key.isEmpty());
  }

  private static Digest root(List<Step> steps) {
    ReferenceTrie trie = new ReferenceTrie();
    steps.forEach(step -> trie.put(step.key.toArray(), step.value.toArray()));
    return trie.root();
  }

  /// Pairs in a list are steps in order, null deletes; pairs in an object come in any order.
  private static List<Step> steps(JsonElement in, boolean secure) {
    List<Step> steps = new ArrayList<>();
    if (in.isJsonObject()) {
      in.getAsJsonObject()
          .entrySet()
          .forEach(pair -> steps.add(step(text(pair.getKey()), bytes(pair.getValue()), secure)));
    } else {
      in.getAsJsonArray()
          .forEach(pair -> {
            JsonArray both = pair.getAsJsonArray();
            steps.add(step(bytes(both.get(0)), bytes(both.get(1)), secure));
          });
    }
    return steps;
  }

  private static Step step(byte[] key, byte[] value, boolean secure) {
    byte[] used = secure ? new Keccak.Digest256().digest(key) : key;
    return new Step(Bytes.wrap(used), Bytes.wrap(value));
  }

  private static byte[] bytes(JsonElement element) {
    return element.isJsonNull() ? new byte[0] : text(element.getAsString());
  }

  private static byte[] text(String text) {
    return text.startsWith("0x")
        ? Bytes.fromHex(text.substring(2)).toArray()
        : Bytes.utf8(text).toArray();
  }

  private static JsonObject read(String file) throws IOException {
    String directory = System.getProperty(PROPERTY);
    assumeTrue(directory != null, "no vectors: name their directory with -D" + PROPERTY + "=DIR");
    Path path = Path.of(String.valueOf(directory), "ethereum-trietests", file);
    return JsonParser.parseString(Files.readString(path)).getAsJsonObject();
  }
}
