package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what the transport itself finds wrong is told in one line on standard error, by service
/// and client, and never as a stack. Method: both in processes of their own, since loggers are a
/// process's.
class QuietGrpcTest {
  private static final long SECONDS_MAX = 120;

  @TempDir private Path home;

  @Test
  void aClientSaysInOneLineThatAHostIsUnknown() throws Exception {
    List<String> commands = List.of("verify", "audit");
    List<Process> clients = new ArrayList<>();
    try {
      for (String command : commands) {
        clients.add(client(command));
      }
      for (int i = 0; i < commands.size(); i++) {
        Process client = clients.get(i);
        Path err = home.resolve(commands.get(i) + ".err");
        assertThat(client.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        assertThat(client.exitValue()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(Files.readAllLines(err)).singleElement().asString().startsWith("tally: ");
        assertThat(err).content().contains("no-such-host.invalid");
      }
    } finally {
      clients.forEach(Process::destroyForcibly);
    }
  }

  private Process client(String command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                Tally.class.getName(),
                command,
                "ab".repeat(32),
                "--service",
                "no-such-host.invalid:4510",
                "--trust",
                home.resolve("trust-of-" + command).toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(home.resolve(command + ".err").toFile());
    // With options of its own the runtime says so, in a line of its own.
    builder.environment().keySet().removeIf(name -> name.endsWith("JAVA_OPTIONS"));
    return builder.start();
  }

  @Test
  void aServiceSaysInOneLineThatAMessageIsAboveWhatTheTransportTakes() throws Exception {
    Path log = home.resolve("service.log");
    try (ServiceProcess service = ServiceProcess.start(home.resolve("data"), log);
        BareLedger bare = new BareLedger(service.target());
        AppendStream stream = new AppendStream(bare.channel)) {
      Waiting.untilListening(log);
      int before = Files.readAllLines(log).size();
      stream.send(
          AppendRequest.newBuilder()
              .setAttestation(WireBytes.toWire(Bytes.wrap(new byte[9 << 20])))
              .build());
      Throwable end = stream.end.handle((_, failure) -> failure).get(60, TimeUnit.SECONDS);
      assertThat(Status.fromThrowable(end).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      Waiting.until("it is told", () -> Files.readAllLines(log).size() > before);
      List<String> told = Files.readAllLines(log).subList(before, before + 1);
      assertThat(told.getFirst())
          .contains("too_large: message of more than 8388608 bytes to")
          .endsWith("JournalService/Append");
      assertThat(Files.readAllLines(log)).hasSize(before + 1);
    }
  }
}
