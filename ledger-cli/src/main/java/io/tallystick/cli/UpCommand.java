package io.tallystick.cli;

import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Runs the whole service in one process until it is told to stop.
@Command(
    name = "up",
    description = "Run the service in this process, on loopback, until it is interrupted.",
    mixinStandardHelpOptions = true)
final class UpCommand implements Callable<Integer> {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "./data",
      description = "Data directory, made if absent. Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--port",
      defaultValue = "4510",
      description = "Port of gRPC on 127.0.0.1; 0 takes a free one. Default: ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--http-port",
      paramLabel = "PORT",
      description = "Port of REST. Default: the next after --port; a free one if that is 0")
  private @Nullable Integer httpPort;

  @Option(
      names = "--address",
      defaultValue = "127.0.0.1",
      description = "Loopback address to listen on. Default: ${DEFAULT-VALUE}")
  private String address = "";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    ServiceProperties properties;
    try {
      properties =
          new ServiceProperties(
              data.toString(), ServiceProperties.DEFAULT_AUTHORITY, address, port, httpPort);
    } catch (IllegalArgumentException e) {
      throw new UserErrorException(String.valueOf(e.getMessage()));
    }
    CountDownLatch closed = new CountDownLatch(1);
    RunningService service = TallystickService.start(properties);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("tally-up-stop")
                .unstarted(() -> {
                  service.close();
                  closed.countDown();
                }));
    spec.commandLine()
        .getOut()
        .println(
            "Listening on %s, REST on %s, data in %s"
                .formatted(
                    service.target(), service.httpTarget(), data.toAbsolutePath().normalize()));
    spec.commandLine().getOut().flush();
    closed.await();
    return ExitCode.OK;
  }
}
