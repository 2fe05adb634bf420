package io.tallystick.bench.soak;

import io.tallystick.cli.process.ServiceProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/// The processes of clients, which are ended and started again. They end with this process: their
/// standard input does.
final class SoakClients implements AutoCloseable {
  private static final long STOP_SECONDS_MAX = 60;
  private static final int PRINTED_MAX = 2000;

  private final SoakHome home;
  private final SoakPlan plan;
  private final String target;
  private final String httpTarget;
  private final List<Process> processes = new ArrayList<>();
  private final int[] lives;
  private int kills;
  private int restarts;

  SoakClients(SoakHome home, SoakPlan plan, ServiceProcess service) throws IOException {
    this.home = home;
    this.plan = plan;
    this.target = service.target();
    this.httpTarget = service.httpTarget();
    this.lives = new int[plan.processes()];
    for (int i = 0; i < plan.processes(); i++) {
      processes.add(start(i));
    }
  }

  private Process start(int number) throws IOException {
    int first = 0;
    for (int i = 0; i < number; i++) {
      first += plan.clientsOf(i);
    }
    int life = ++lives[number];
    SoakClient.Orders orders =
        new SoakClient.Orders(
            home.path(),
            target,
            httpTarget,
            number,
            life,
            first,
            plan.clientsOf(number),
            Math.max(1, 1000L * plan.clients() / plan.perSecond()),
            plan.seed() + 31L * number + 1009L * life);
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Djava.net.preferIPv4Stack=true",
                "-cp",
                System.getProperty("java.class.path"),
                SoakClient.class.getName()));
    command.addAll(orders.toArguments());
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(home.clientLog(number).toFile()))
        .start();
  }

  /// Kills one without warning and starts its next life.
  void kill(int number) throws IOException, InterruptedException {
    Process process = processes.get(number);
    process.destroyForcibly();
    if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
      throw new IOException("a killed client does not end");
    }
    kills++;
    processes.set(number, start(number));
  }

  /// Lets one finish what it is waiting for, and starts its next life.
  void restart(int number) throws IOException, InterruptedException, SoakFailure {
    stop(number);
    restarts++;
    processes.set(number, start(number));
  }

  /// @throws SoakFailure if one had ended by itself, or ends with a status other than 0
  private void stop(int number) throws IOException, InterruptedException, SoakFailure {
    Process process = processes.get(number);
    process.getOutputStream().close();
    if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("a client does not end within " + STOP_SECONDS_MAX + " s");
    }
    if (process.exitValue() != 0) {
      throw failure(number);
    }
  }

  void stopAll() throws IOException, InterruptedException, SoakFailure {
    for (int i = 0; i < processes.size(); i++) {
      stop(i);
    }
  }

  /// @throws SoakFailure if one has ended by itself
  void check() throws IOException, SoakFailure {
    for (int i = 0; i < processes.size(); i++) {
      if (!processes.get(i).isAlive()) {
        throw failure(i);
      }
    }
  }

  private SoakFailure failure(int number) throws IOException {
    String printed = Files.readString(home.clientLog(number), StandardCharsets.UTF_8);
    return new SoakFailure(
        String.format(
            Locale.ROOT,
            "client process %d ended with status %d: %s",
            number,
            processes.get(number).exitValue(),
            printed.substring(Math.max(0, printed.length() - PRINTED_MAX))));
  }

  int kills() {
    return kills;
  }

  int restarts() {
    return restarts;
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }
}
