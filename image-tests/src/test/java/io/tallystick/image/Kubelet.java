package io.tallystick.image;

import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.github.dockerjava.api.model.Network.Ipam;
import io.tallystick.image.Pod.Container;
import io.tallystick.image.Pod.Mount;
import io.tallystick.image.Pod.Probe;
import io.tallystick.image.Pod.Source;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.testcontainers.containers.Network;

/// Runs a pod on this machine, as a kubelet does: makes its volumes, starts its container with what
/// the manifest says, asks its probes at the pod's address, and tells it to end.
final class Kubelet implements AutoCloseable {
  private static final int VOLUME_MODE = 02775;
  private static final int EMPTY_MODE = 03777;
  private static final int LOST_AND_FOUND_MODE = 02770;
  private static final int SHARES_OF_A_CPU = 1024;
  private static final Duration START_MAX = Duration.ofMinutes(3);
  private static final int HTTP_OK = 200;
  private static final int HTTP_BAD_REQUEST = 400;

  private final Pod pod;
  private final Path folder;
  private final Map<String, Map<String, String>> objects;
  private final Map<String, MountedFiles> mounted = new HashMap<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private final Network network;
  private final Locked container;

  /// @param folder for the pod's volumes
  /// @param objects what the cluster has: entries of each `secret/NAME` and `configMap/NAME`
  Kubelet(Pod pod, Path folder, Map<String, Map<String, String>> objects) throws IOException {
    this.pod = pod;
    this.folder = Files.createDirectories(folder);
    this.objects = objects;
    this.network = network(pod.container().args().contains("--ipv6"));
    this.container = container();
    container.start();
  }

  /// @param dualStack with addresses of both families, which a cluster's configuration decides
  private static Network network(boolean dualStack) {
    if (!dualStack) {
      return Network.newNetwork();
    }
    return Network.builder()
        .enableIpv6(true)
        .createNetworkCmdModifier(command ->
            command.withIpam(
                new Ipam().withConfig(new Ipam.Config().withSubnet("fd00:7a11:57::/64"))))
        .build();
  }

  private Locked container() throws IOException {
    Container of = pod.container();
    Locked made =
        new Locked(of.image())
            .withNetwork(network)
            .withEnv(of.environment())
            .withExposedPorts(of.ports().values().toArray(Integer[]::new))
            .withCreateContainerCmdModifier(command -> {
              command.withUser(pod.user()).withHostName(pod.name()).withCmd(of.args());
              if (!of.command().isEmpty()) {
                command.withEntrypoint(of.command());
              }
            })
            .withHost(host ->
                host.withReadonlyRootfs(of.security().readOnlyRoot())
                    .withCapDrop(
                        of.security().dropped().stream()
                            .map(Capability::valueOf)
                            .toArray(Capability[]::new))
                    .withSecurityOpts(
                        of.security().mayGainPrivileges()
                            ? List.of()
                            : List.of("no-new-privileges"))
                    .withGroupAdd(List.of(String.valueOf(pod.group())))
                    .withCpuShares((int) (of.cpus() * SHARES_OF_A_CPU))
                    .withMemory(of.memoryBytesMax())
                    .withMemorySwap(of.memoryBytesMax()));
    for (Mount mount : of.mounts()) {
      made.withMount(volume(mount).toString(), mount.path(), mount.readOnly());
    }
    return made;
  }

  private Path volume(Mount mount) throws IOException {
    Path root = folder.resolve(mount.volume());
    switch (Objects.requireNonNull(pod.volumes().get(mount.volume()), mount.volume())) {
      case Source.Empty _ -> Owner.give(Files.createDirectories(root), pod.group(), EMPTY_MODE);
      case Source.Claim _ -> {
        Owner.give(Files.createDirectories(root), pod.group(), VOLUME_MODE);
        Path lost = Files.createDirectories(root.resolve("lost+found"));
        Owner.give(lost, pod.group(), LOST_AND_FOUND_MODE);
      }
      case Source.Entries entries -> {
        MountedFiles files = new MountedFiles(root, entries.mode(), pod.group());
        files.write(files(entries));
        mounted.put(mount.volume(), files);
      }
    }
    return root;
  }

  private Map<String, String> files(Source.Entries entries) {
    Map<String, String> object = objects.get(entries.object());
    if (object == null) {
      throw new AssertionError("there is no " + entries.object());
    }
    Map<String, String> files = new HashMap<>();
    entries
        .items()
        .forEach((key, name) -> {
          String value = object.get(key);
          if (value == null) {
            throw new AssertionError(entries.object() + " has no " + key);
          }
          files.put(name, value);
        });
    return files;
  }

  /// Gives the pod what the cluster now has of an object.
  void update(String object) throws IOException {
    for (Map.Entry<String, Source> volume : pod.volumes().entrySet()) {
      if (volume.getValue() instanceof Source.Entries entries && entries.object().equals(object)) {
        Objects.requireNonNull(mounted.get(volume.getKey())).write(files(entries));
      }
    }
  }

  /// `localhost:PORT`, which leads to that declared port.
  String target(String port) {
    int declared = Objects.requireNonNull(pod.container().ports().get(port), port);
    return "localhost:" + container.getMappedPort(declared);
  }

  /// Asks once.
  boolean passes(Probe probe) throws InterruptedException {
    ContainerNetwork of =
        container.getCurrentContainerInfo().getNetworkSettings().getNetworks().values().stream()
            .findFirst()
            .orElseThrow();
    int port = Objects.requireNonNull(pod.container().ports().get(probe.port()), probe.port());
    URI uri =
        URI.create(
            String.format(Locale.ROOT, "http://%s:%d%s", of.getIpAddress(), port, probe.path()));
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .timeout(Duration.ofSeconds(probe.timeoutSeconds()))
            .header("User-Agent", "kube-probe/1.36")
            .build();
    try {
      int status = http.send(request, BodyHandlers.discarding()).statusCode();
      return status >= HTTP_OK && status < HTTP_BAD_REQUEST;
    } catch (IOException e) {
      return false;
    }
  }

  /// Until the startup probe, then readiness pass; liveness must pass at once. A kubelet would give
  /// it longer, for a replay.
  void awaitReady() throws Exception {
    Container of = pod.container();
    Waiting.until("the pod has started", START_MAX, () -> runningAnd(of.startup()));
    if (!passes(of.liveness())) {
      throw new AssertionError("the pod is not alive: " + container.getLogs());
    }
    Waiting.until("the pod is ready", START_MAX, () -> runningAnd(of.readiness()));
  }

  private boolean runningAnd(Probe probe) throws InterruptedException {
    if (!container.runs()) {
      throw new AssertionError("the container has ended: " + container.getLogs());
    }
    return passes(probe);
  }

  /// Tells the pod to end, and follows its readiness.
  ///
  /// @return its exit status
  /// @throws AssertionError if it takes longer than it may, or ends before a kubelet has seen that
  ///   it is not ready and clients are sent elsewhere
  int terminate() throws Exception {
    Probe readiness = pod.container().readiness();
    Duration grace = Duration.ofSeconds(pod.graceSeconds());
    long began = System.nanoTime();
    container.terminate();
    Waiting.until("readiness fails", grace, () -> !passes(readiness));
    int status = container.awaitExit(grace);
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    if (took.compareTo(readiness.unnoticedMax()) < 0) {
      throw new AssertionError("it ended after " + took + ", too soon for its readiness probe");
    }
    if (took.compareTo(grace) > 0) {
      throw new AssertionError("it ended after " + took + ", and would have been killed");
    }
    return status;
  }

  boolean ranOutOfMemory() {
    return Boolean.TRUE.equals(container.state().getOOMKilled());
  }

  /// @return the pod's files in an empty folder beyond what it may hold, in bytes; 0 if there are
  ///   none
  long bytesTooMany() throws IOException {
    long tooMany = 0;
    for (Map.Entry<String, Source> each : pod.volumes().entrySet()) {
      if (each.getValue() instanceof Source.Empty empty) {
        try (Stream<Path> files = Files.walk(folder.resolve(each.getKey()))) {
          long bytes = 0;
          for (Path file : files.filter(Files::isRegularFile).toList()) {
            bytes += Files.size(file);
          }
          tooMany += Math.max(0, bytes - empty.bytesMax());
        }
      }
    }
    return tooMany;
  }

  String log() {
    return container.getLogs();
  }

  @Override
  public void close() {
    container.close();
    network.close();
    http.close();
  }
}
