package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: several keys are read with one proof, as of any block, and as a file that verifies without
/// the service. Method: the command line against a real service.
class StateKeysCommandTest {
  @TempDir private static Path home;
  private static OwnedLedger owned;
  private static Cli cli;

  @BeforeAll
  static void start() throws Exception {
    owned = OwnedLedger.found(home, "state", "--state");
    cli = owned.cli();
    state("put", "stock", "12", "--key", owned.key()).hasStatus(0);
    state("put", "seat", "free", "--key", owned.key()).hasStatus(0);
    state("delete", "seat", "--key", owned.key()).hasStatus(0);
  }

  @AfterAll
  static void stop() {
    owned.close();
  }

  private static Cli.Result state(String command, Object... words) {
    return call(cli, "state", command, words);
  }

  private static Cli.Result call(Cli by, String group, String command, Object... words) {
    List<Object> all = new ArrayList<>(List.of(group));
    if (!command.isEmpty()) {
      all.add(command);
    }
    all.add(owned.id());
    all.addAll(List.of(words));
    return by.call(all.toArray());
  }

  @Test
  void readsSeveralKeysAsOfOneBlock() {
    assertThat(state("get", "stock", "seat", "never", "stock").hasStatus(0).out())
        .startsWith("\"never\": never written\n\"seat\": deleted, by journal ")
        .contains("\n\"stock\": 2 B 12, by journal ")
        .contains("Verified: this is what the 3 keys hold as of block ");
    JsonNode old = state("get", "stock", "seat", "--as-of", 2, "--json").json();
    assertThat(old.get("keys").valueStream().map(row -> row.get("answer").stringValue()))
        .containsExactly("present", "present");
    assertThat(old.get("keys").get(0).get("value").stringValue()).isEqualTo("free");
    assertThat(old.get("height").longValue()).isEqualTo(2);
    long sealedMs = System.currentTimeMillis();
    JsonNode then = state("get", "stock", "seat", "--at-time", sealedMs, "--json").json();
    assertThat(then.get("atTimeMs").longValue()).isEqualTo(sealedMs);
    assertThat(then.get("final").booleanValue()).isFalse();
    assertThat(then.get("keys").get(0).get("answer").stringValue()).isEqualTo("deleted");
    JsonNode hex = state("get", "73656174", "00", "--hex", "--json").json();
    assertThat(hex.get("keys").get(0).get("keyHex").stringValue()).isEqualTo("00");
    assertThat(state("get", "stock", "seat", "--as-of", 999).hasStatus(ExitCode.REFUSED).err())
        .contains("refused (out_of_range): ");
  }

  @Test
  void aSavedProofOfSeveralKeysVerifiesWithoutTheService() throws Exception {
    Path file = home.resolve("several.state");
    state("get", "stock", "seat", "never", "--save", file).hasStatus(0);
    assertThat(state("get", "stock", "seat", "--save", file).hasStatus(ExitCode.FILE).err())
        .contains("exists and is not overwritten");
    Path below = home.resolve("none").resolve("several.state");
    for (String key : new String[] {"seat", "never"}) {
      assertThat(state("get", "stock", key, "--save", below).hasStatus(ExitCode.FILE).err())
          .isEqualTo("tally: cannot write " + below + ": its folder does not exist\n");
      assertThat(state("get", key, "--save", below).hasStatus(ExitCode.FILE).err())
          .isEqualTo("tally: cannot write " + below + ": its folder does not exist\n");
    }
    assertThat(state("get", "seat", "seat").hasStatus(0).out())
        .contains("Verified: this is what it holds as of block ");
    Cli nowhere = new Cli("127.0.0.1:1", home.resolve("trust").toString());
    assertThat(call(nowhere, "state", "verify", file).hasStatus(0).out())
        .startsWith("\"never\": never written\n\"seat\": deleted, by journal ")
        .contains("Verified: this is what the 3 keys held as of block ");
    Object[] two = {"--state", file, "--key", "stock", "--key", "seat", "--offline", "--json"};
    JsonNode shown = call(nowhere, "verify", "", two).json().get("state");
    assertThat(shown.get("keys").valueStream().map(row -> row.get("key").stringValue()))
        .containsExactly("never", "seat", "stock");
    assertThat(shown.get("keys").get(2).get("value").stringValue()).isEqualTo("12");
    assertThat(call(cli, "verify", "", "--state", file).hasStatus(0).out())
        .contains("That head is one of the log's.");
    Object[] other = {"--state", file, "--key", "stock", "--key", "other", "--offline"};
    assertThat(call(nowhere, "verify", "", other).hasStatus(ExitCode.EVIDENCE).err())
        .contains("WRONG_KEY", "is about 3 other keys, not \"other\"");
    Object[] range = {"--state", file, "--from", "s", "--offline"};
    assertThat(call(nowhere, "verify", "", range).hasStatus(ExitCode.USAGE).err())
        .contains("is about several keys, not a range");
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    Path changed = Files.write(home.resolve("changed.state"), bytes);
    for (Cli.Result result :
        List.of(
            call(nowhere, "state", "verify", changed),
            call(nowhere, "verify", "", "--state", changed, "--offline"))) {
      assertThat(result.hasStatus(ExitCode.EVIDENCE).err())
          .contains("EVIDENCE DOES NOT VERIFY: COMMITMENT_MISMATCH");
    }
  }

  /// The values take two pages: all keys are shown, the file holds the first page.
  @Test
  void aFileHoldsOnePageAndTheRestIsNamed() throws Exception {
    Path value = Files.write(home.resolve("value"), new byte[500 << 10]);
    for (int i = 0; i < 3; i++) {
      state("put", "large " + i, "--file", value, "--key", owned.key()).hasStatus(0);
    }
    Path file = home.resolve("large.state");
    Object[] keys = {"large 0", "large 1", "large 2", "--save", file, "--json"};
    JsonNode read = state("get", keys).json();
    assertThat(read.get("keys").size()).isEqualTo(3);
    List<String> left = read.get("unsavedHex").valueStream().map(JsonNode::stringValue).toList();
    assertThat(left).hasSize(2);
    List<Object> rest = new ArrayList<>(left);
    Path next = home.resolve("next.state");
    rest.addAll(List.of("--hex", "--as-of", read.get("height").longValue(), "--save", next));
    assertThat(state("get", rest.toArray()).hasStatus(0).out())
        .contains("The file holds the first 1 key; the others: --as-of ");
    for (Path each : List.of(file, next)) {
      assertThat(call(cli, "state", "verify", each, "--json").json().get("valueHex").stringValue())
          .hasSize(2 * (500 << 10));
    }
    String[] many = IntStream.range(0, 1001).mapToObj(i -> "key " + i).toArray(String[]::new);
    assertThat(state("get", (Object[]) many).hasStatus(0).out())
        .contains("Verified: this is what the 1,001 keys hold");
  }
}
