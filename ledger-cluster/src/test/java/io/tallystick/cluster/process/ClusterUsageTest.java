package io.tallystick.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.storage.disk.DataDirectoryLock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// Goal: a mistyped command of a cluster is refused in one line, as usage, before anything is done.
/// Method: the commands themselves, with one bad word each.
class ClusterUsageTest {
  @TempDir Path home;

  private int run(StringWriter said, String words) {
    CommandLine tally = ClusterTally.commandLine();
    tally.setOut(new PrintWriter(said));
    tally.setErr(new PrintWriter(said));
    return tally.execute(words.replace("HOME", home.toString()).split(" "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server --id s1 --keys HOME --data HOME --port 70000",
        "server --id S/1 --keys HOME --data HOME",
        "server --id s1 --keys HOME --data HOME --cluster a/b",
        "master --id -m",
        "bookie --id b1 --data HOME --port -1",
        "zookeeper --data HOME --port x",
        "proxy --data HOME --http-port 99999",
        "cluster status --zookeeper nonsense",
        "cluster status --zookeeper 127.0.0.1:99999",
      })
  void isRefusedAsUsage(String words) {
    StringWriter said = new StringWriter();
    assertThat(run(said, words)).isEqualTo(ExitCode.USAGE);
    assertThat(said.toString()).startsWith("tally: ").hasLineCount(1);
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void aTrialRunsOnceInAFolder() throws Exception {
    try (var _ = DataDirectoryLock.acquire(Files.createDirectories(home.resolve("process")))) {
      StringWriter said = new StringWriter();
      assertThat(run(said, "cluster trial HOME")).isEqualTo(ExitCode.FILE);
      assertThat(said.toString()).contains("is in use by process").hasLineCount(1);
    }
    assertThat(home.resolve("log")).doesNotExist();
  }
}
