package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.process.JvmOptions;
import io.tallystick.cli.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the script says what is wrong with its environment before it builds or starts anything.
/// Method: the script itself, with one bad setting each.
class TallyScriptTest {
  private static final Path SCRIPT = Path.of("..", "tally");

  /// Both take them from the files that `java @FILE` reads.
  @Test
  void namesNoOptionOfTheJvmOfItsOwn() throws Exception {
    assertThat(SCRIPT)
        .content()
        .contains("@$build/$cache.args", "@$build/client.args")
        .doesNotContain("UseParallelGC", "SurvivorRatio", "enable-native-access", "preferIPv4");
  }

  /// As a trial and a benchmark give them.
  @Test
  void bookiesGetTheirOptionsEverywhere() throws Exception {
    assertThat(JvmOptions.ofBookie()).containsExactly("--add-opens=java.base/java.io=ALL-UNNAMED");
    assertThat(SCRIPT).content().contains("@$build/bookie.args").doesNotContain("add-opens");
    assertThat(Path.of("..", "image", "tally"))
        .content()
        .contains("@$home/bookie.args")
        .doesNotContain("add-opens");
    assertThat(Path.of("..", "image", "build"))
        .content()
        .contains("\"$options/bookie.args\"", "bookie}.args \"$distribution/\"")
        .doesNotContain("add-opens");
  }

  /// A checkout and a distribution run a command alike.
  @Test
  void shortCommandsAreTheSameInTheDistribution() throws Exception {
    Pattern list = Pattern.compile("\\n  (up \\| [a-z |]+)\\) ;;\\n");
    Matcher ours = list.matcher(Files.readString(SCRIPT));
    Matcher theirs = list.matcher(Files.readString(Path.of("..", "image", "tally")));
    assertThat(ours.find() && theirs.find()).isTrue();
    assertThat(theirs.group(1)).isEqualTo(ours.group(1)).contains("audit");
  }

  @TempDir private Path folder;

  @Test
  void refusesAHeapThatIsNoSize() throws Exception {
    for (String heap : new String[] {"abc", "0m", "512", "-1g", "1g -version", "1t"}) {
      ProcessBuilder builder = new ProcessBuilder("bash", SCRIPT.toString(), "--version");
      builder.environment().put("TALLY_XMX", heap);
      Path said = folder.resolve("said");
      Process script = builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
      try {
        assertThat(script.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(said)
            .content()
            .isEqualTo(
                "tally: TALLY_XMX="
                    + heap
                    + " is no heap size; want megabytes or gigabytes, as in 512m or 2g\n");
        assertThat(script.exitValue()).isEqualTo(ExitCode.USAGE);
      } finally {
        script.destroyForcibly();
      }
    }
  }
}
