package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: arguments are UTF-8 in every locale, and what is not is never signed. Method: the command
/// in a process of its own, under locales of other character sets, its words written as bytes by a
/// shell; the script, with a JDK that says what it is given.
class ArgumentsTest {
  /// "Маша", byte by byte.
  private static final String MASHA = "$'\\xd0\\x9c\\xd0\\xb0\\xd1\\x88\\xd0\\xb0'";

  private static final String MASHA_TEXT = "\u041c\u0430\u0448\u0430";

  @TempDir private static Path home;
  private static OwnedLedger owned;
  private static Cli cli;
  private static Path key;
  private static String ledger;

  @BeforeAll
  static void start() throws Exception {
    owned = OwnedLedger.found(home, "words", "--state");
    key = owned.key();
    cli = owned.cli();
    ledger = owned.id();
  }

  @AfterAll
  static void stop() {
    owned.close();
  }

  private record Said(int status, String text) {}

  /// @param locale assignments; without `LANG` and the like otherwise
  /// @param words in the shell's syntax
  private static Said shell(String locale, String words) throws Exception {
    Path said = Files.createTempFile(home, "said", "");
    String clean = "exec env -u LANG -u LC_ALL -u LC_CTYPE " + locale + " ";
    Process process =
        new ProcessBuilder("bash", "-c", clean + words)
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
      return new Said(process.exitValue(), Files.readString(said));
    } finally {
      process.destroyForcibly();
    }
  }

  private static Said tally(String locale, String words) throws Exception {
    Path options = Path.of("src", "main", "resources", "io", "tallystick", "cli", "process");
    return shell(
        locale,
        String.join(
            " ",
            "'" + Path.of(System.getProperty("java.home"), "bin", "java") + "'",
            "@" + options.resolve("client.args"),
            "-XX:TieredStopAtLevel=1 -Xms64m -cp '" + System.getProperty("java.class.path") + "'",
            "io.tallystick.cli.Tally",
            words,
            "--service " + owned.service().target(),
            "--trust '" + home.resolve("trust") + "' --reader-key '" + key + "'"));
  }

  private static String put(String words) {
    return "state put " + ledger + " " + words + " --key '" + key + "'";
  }

  @Test
  void argumentsAndAnswersAreUtf8InEveryLocale() throws Exception {
    for (String locale : new String[] {"", "LC_ALL=C", "LC_ALL=POSIX LANG=xx_YY.UTF-8"}) {
      Said said = tally(locale, put(MASHA + " " + MASHA + "'" + locale + "'"));
      assertThat(said.status()).as(said.text()).isZero();
      assertThat(cli.call("state", "get", ledger, MASHA_TEXT, "--json").json().get("value"))
          .hasToString("\"" + MASHA_TEXT + locale + "\"");
    }
    Said read = tally("LC_ALL=C", "state get " + ledger + " " + MASHA);
    assertThat(read.text()).contains(MASHA_TEXT);
  }

  @Test
  void bytesThatAreNoUtf8AreNotSigned() throws Exception {
    for (String locale : new String[] {"LC_ALL=C", "LC_ALL=C.UTF-8"}) {
      Said said = tally(locale, put("$'M\\xe4rz' 1"));
      assertThat(said.status()).isEqualTo(ExitCode.USAGE);
      assertThat(said.text()).contains("argument 4, M\ufffdrz, is not UTF-8");
    }
    assertThat(cli.call("state", "get", ledger, "M\u00e4rz", "--json").out())
        .doesNotContain("\"1\"");
  }

  @Test
  void whatStandsForThemIsTakenFromAFileOnly() throws Exception {
    List<List<String>> commands =
        List.of(
            List.of("state", "put", ledger, "k", "\ufffd", "--key", key.toString()),
            List.of("append", ledger, "--text", "\ufffd", "--key", key.toString()),
            List.of("append", ledger, "--text", "a", "--clue", "\ufffd", "--key", key.toString()),
            List.of("append", ledger, "--text", "\ud800", "--key", key.toString()),
            List.of("ledger", "create", "\ufffd", "--key", key.toString()));
    for (List<String> command : commands) {
      Cli.Result refused = cli.call(command.toArray()).hasStatus(ExitCode.USAGE);
      assertThat(refused.err()).contains("is not UTF-8, or holds U+FFFD", "as @FILE");
    }
    Path file = home.resolve("words");
    Files.writeString(file, "\"\ufffd " + MASHA_TEXT + "\"");
    cli.call("state", "put", ledger, "@" + file, "@" + file, "--key", key).hasStatus(0);
    assertThat(cli.call("state", "get", ledger, "@" + file, "--json").json().get("value"))
        .hasToString("\"\ufffd " + MASHA_TEXT + "\"");

    Files.write(file, "M\u00e4rz".getBytes(StandardCharsets.ISO_8859_1));
    Cli.Result latin = cli.call("state", "put", ledger, "@" + file, "1", "--key", key);
    assertThat(latin.hasStatus(ExitCode.USAGE).err()).contains("words is not UTF-8");
  }

  /// The script itself, beside a build that is new and a JDK that prints its surroundings.
  @Test
  void theScriptGivesTheJvmACharacterSetOfUtf8() throws Exception {
    Path root = Files.createDirectories(home.resolve("root"));
    Path script = Files.copy(Path.of("..", "tally"), root.resolve("tally"));
    Path jdk = root.resolve("jdk");
    Files.createDirectories(jdk.resolve("bin"));
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    for (String tool : new String[] {"java", "javac"}) {
      Path file = jdk.resolve("bin").resolve(tool);
      Files.writeString(
          file, "#!/bin/sh\necho \"set $(locale charmap), last $2 ${LC_ALL-none}\"\n");
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
    Path build = Files.createDirectories(root.resolve("ledger-cli/target/run/cli-1"));
    Files.createFile(build.resolve("modules"));
    Files.writeString(build.resolveSibling("cli"), "cli-1\n");
    List<String> sets = new ArrayList<>();
    for (String locale : new String[] {"", "LC_ALL=C", "LANG=xx_YY.UTF-8", "LC_CTYPE=C.UTF-8"}) {
      String words = "TALLY_AOT=off TALLY_JAVA_HOME=" + jdk + " bash " + script + " --version";
      sets.add(shell(locale, words).text().strip().replaceAll("(?s).*set (\\S+),.* ", "$1 "));
    }
    assertThat(sets)
        .containsExactly("UTF-8 C.UTF-8", "UTF-8 C.UTF-8", "UTF-8 C.UTF-8", "UTF-8 none");
  }
}
