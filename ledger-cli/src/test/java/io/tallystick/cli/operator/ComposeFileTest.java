package io.tallystick.cli.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.proxy.ServiceProperties;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import picocli.CommandLine;

/// Goal: `image/compose.yaml` starts a service for development that only this machine reaches.
/// Method: its command is parsed as `tally` parses it; its ports are looked at.
class ComposeFileTest {
  @Test
  void startsAnInsecureServiceForThisMachineAlone() throws Exception {
    String text = Files.readString(Path.of("..", "image", "compose.yaml"));
    Map<?, ?> file = new Yaml().load(text);
    Map<?, ?> service = in(in(file, "services"), "tallystick");
    List<?> command = (List<?>) Objects.requireNonNull(service.get("command"));
    assertThat(command.getFirst()).isEqualTo("up");
    UpCommand up = new UpCommand();
    new CommandLine(up)
        .parseArgs(command.stream().skip(1).map(String::valueOf).toArray(String[]::new));
    ServiceProperties settings = up.settings(Map.of()).properties();
    assertThat(settings.listen().insecureDev()).isTrue();
    assertThat(settings.listen().address()).isEqualTo("0.0.0.0");
    assertThat((List<?>) Objects.requireNonNull(service.get("ports")))
        .hasSize(2)
        .allSatisfy(port -> assertThat(port.toString()).startsWith("127.0.0.1:"));
    assertThat(service.get("read_only")).isEqualTo(true);
    assertThat(service.get("volumes")).isEqualTo(List.of("tallystick:/data"));
  }

  private static Map<?, ?> in(Map<?, ?> map, String key) {
    return (Map<?, ?>) Objects.requireNonNull(map.get(key));
  }
}
