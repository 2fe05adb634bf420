package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the health check of a container says what a probe would be told. Method: the command
/// beside a service with and without a port of its own for health, and where there is none.
class HealthCommandTest {
  @TempDir private Path home;

  private RunningService start(String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.add("--tallystick.data-dir=" + home.resolve("data"));
    arguments.add("--tallystick.port=0");
    return TallystickService.start(LocalNode::open, arguments.toArray(String[]::new));
  }

  private void health(int status, String said) {
    Cli.Result result = Cli.run("health", "--data", home.resolve("data"));
    assertThat(result.hasStatus(status).out()).contains(said);
  }

  @Test
  void saysWhetherTheServiceIsReady() throws Exception {
    health(ExitCode.UNAVAILABLE, "no service runs on ");
    try (RunningService _ = start("--tallystick.management.port=0")) {
      health(ExitCode.OK, "ready");
    }
    try (RunningService _ = start()) {
      health(ExitCode.OK, "ready");
    }
    health(ExitCode.UNAVAILABLE, "no service runs on ");
  }
}
