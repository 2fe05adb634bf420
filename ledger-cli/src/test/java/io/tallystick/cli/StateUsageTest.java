package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what is wrong with a `state` command line is told in one line before any service is asked.
/// Method: no service listens where the commands look for one.
class StateUsageTest {
  private static final String LEDGER = "0".repeat(64);

  @TempDir private Path home;
  private Cli cli = new Cli("", "");
  private Path key = Path.of("");

  @BeforeEach
  void key() {
    key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(0);
    cli = new Cli("127.0.0.1:1", home.resolve("trust").toString());
  }

  private void isUsage(String message, Object... words) {
    assertThat(cli.call(words).hasStatus(ExitCode.USAGE).err()).contains(message);
  }

  private static Object[] with(Object[] words, Object... more) {
    return Stream.concat(Arrays.stream(words), Arrays.stream(more)).toArray();
  }

  @Test
  void everyCommandExplainsItself() {
    for (String command : new String[] {"get", "put", "delete", "range", "history", "verify"}) {
      assertThat(Cli.run("state", command, "--help").hasStatus(0).out())
          .startsWith("Usage: tally state " + command);
    }
  }

  @Test
  void aKeyHasOneTo256Bytes() {
    for (String command : new String[] {"get", "history"}) {
      isUsage("KEY has 0 bytes, want 1 to 256", "state", command, LEDGER, "");
      isUsage("KEY has 257 bytes, want 1 to 256", "state", command, LEDGER, "k".repeat(257));
      isUsage("\"0g\" is not hex", "state", command, LEDGER, "0g", "--hex");
      isUsage("\"012\" is not hex", "state", command, LEDGER, "012", "--hex");
      isUsage("--as-of is 0 or more", "state", command, LEDGER, "k", "--as-of", "-1");
    }
    isUsage("KEY has 257", "state", "delete", LEDGER, "k".repeat(257), "--key", key);
    isUsage("KEY has 257", "state", "put", LEDGER, "k".repeat(257), "v", "--key", key);
  }

  @Test
  void aPutHasOneValueAndOneCondition() throws Exception {
    Path value = Files.writeString(home.resolve("value"), "v");
    isUsage("give VALUE or --file", "state", "put", LEDGER, "k", "--key", key);
    isUsage(
        "give VALUE or --file", "state", "put", LEDGER, "k", "v", "--file", value, "--key", key);
    isUsage(
        "give one of them",
        "state",
        "put",
        LEDGER,
        "k",
        "v",
        "--if-absent",
        "--if-value",
        "v",
        "--key",
        key);
    isUsage(
        "--if-version is 0 or more",
        "state",
        "delete",
        LEDGER,
        "k",
        "--if-version",
        "-1",
        "--key",
        key);
    Cli.Result missing =
        cli.call("state", "put", LEDGER, "k", "--file", home.resolve("none"), "--key", key);
    assertThat(missing.hasStatus(ExitCode.FILE).err()).contains("none does not exist");
    Path large = Files.write(home.resolve("large"), new byte[(1 << 20) + (64 << 10) + 1]);
    assertThat(
            cli.call("state", "put", LEDGER, "k", "--file", large, "--key", key)
                .hasStatus(ExitCode.FILE)
                .err())
        .contains("longer than a request may be");
  }

  @Test
  void aRangeHasTwoEndsOrAPrefix() {
    isUsage("--prefix stands instead", "state", "range", LEDGER, "--prefix", "a", "--from", "b");
    isUsage("no key is from", "state", "range", LEDGER, "--from", "b", "--to", "a");
    isUsage("at most 257", "state", "range", LEDGER, "--from", "k".repeat(258));
    isUsage("--limit is 1 or more", "state", "range", LEDGER, "--limit", "0");
    isUsage("is not hex", "state", "range", LEDGER, "--from", "x", "--hex");
    isUsage("--limit is 1 or more", "state", "history", LEDGER, "k", "--limit", "0");
    isUsage("--raw writes one value", "state", "get", LEDGER, "k", "l", "--raw");
    isUsage("KEY has 0 bytes", "state", "get", LEDGER, "k", "");
    isUsage("\"0g\" is not hex", "state", "get", LEDGER, "00", "0g", "--hex");
    isUsage("Missing required parameter: 'KEY'", "state", "get", LEDGER);
    for (String word : new String[] {"get k", "range"}) {
      Object[] at = ("state " + word.replaceFirst("^(\\w+)", "$1 " + LEDGER)).split(" ");
      isUsage("\"noon\" is no time", with(at, "--at-time", "noon"));
      isUsage("is before 1970", with(at, "--at-time", "1969-12-31T23:59:59Z"));
      isUsage("--as-of and --at-time", with(at, "--at-time", "1", "--as-of", "1"));
    }
    isUsage("--raw and --json", "state", "get", LEDGER, "k", "--raw", "--json");
  }

  @Test
  void aFileIsVerifiedWithPinnedKeysOnly() throws Exception {
    Path file = Files.write(home.resolve("some.state"), new byte[] {1, 2, 3});
    assertThat(cli.call("state", "verify", LEDGER, file).hasStatus(ExitCode.FILE).err())
        .contains("no ledger " + LEDGER);
    isUsage("is no ledger id", "state", "verify", "xyz", file);
    isUsage("x.id, which is to have a ledger id, does not exist", "state", "verify", "@x.id", file);
  }
}
