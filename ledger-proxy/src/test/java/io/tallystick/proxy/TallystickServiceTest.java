package io.tallystick.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.GetServiceDescriptionRequest;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.server.host.LocalNode;
import io.tallystick.storage.disk.DataDirectoryLock;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the application starts on a free loopback port, says where, serves, and ends in order; a
/// start that cannot succeed says why in one line. Method: the real application.
class TallystickServiceTest {
  @TempDir private Path directory;
  @TempDir private Path other;

  @Test
  void servesOnAFreePortAndTellsWhichOne() throws Exception {
    Path portFile = directory.resolve("service.port");
    try (RunningService running =
        TallystickService.start(LocalNode::open, ServiceProperties.of(directory, 0))) {
      assertThat(running.port()).isPositive();
      assertThat(running.target()).isEqualTo("127.0.0.1:" + running.port());
      assertThat(portFile).content().isEqualTo(running.port() + "\n");
      ManagedChannel channel =
          NettyChannelBuilder.forTarget(running.target()).usePlaintext().build();
      assertThat(
              LedgerServiceGrpc.newBlockingStub(channel)
                  .getServiceDescription(GetServiceDescriptionRequest.getDefaultInstance())
                  .getAuthority())
          .isEqualTo("localhost");
      assertThat(
              HealthGrpc.newBlockingStub(channel)
                  .check(HealthCheckRequest.getDefaultInstance())
                  .getStatus())
          .isEqualTo(ServingStatus.SERVING);
      assertThatThrownBy(() -> reflectedServices(channel))
          .hasMessageContaining("UNIMPLEMENTED: Method not found: grpc.reflection.v1");
      channel.shutdownNow();
      // REST takes a free port: the next after a taken one may be taken as well.
      assertThatThrownBy(() ->
              TallystickService.start(
                  LocalNode::open,
                  "--tallystick.data-dir=" + other,
                  "--tallystick.port=" + running.port(),
                  "--tallystick.http-port=0"))
          .isInstanceOf(StartFailedException.class)
          .hasMessage("127.0.0.1:" + running.port() + " is in use or cannot be bound");
    }
    assertThat(Files.exists(portFile)).isFalse();
  }

  @Test
  void aTakenPortOfRestIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(taken.getLocalPort());
      assertThatThrownBy(() ->
              TallystickService.start(
                  LocalNode::open,
                  "--tallystick.data-dir=" + directory,
                  "--tallystick.port=0",
                  "--tallystick.http-port=" + port))
          .isInstanceOf(StartFailedException.class)
          .hasMessage("127.0.0.1:" + port + " is in use or cannot be bound");
    }
    // Whatever had opened meanwhile is closed.
    TallystickService.start(
            LocalNode::open,
            "--tallystick.data-dir=" + directory,
            "--tallystick.port=0",
            "--tallystick.http-port=0")
        .close();
  }

  @Test
  void aFrameworkThatFailsEarlyLeavesNoNodeOpen() throws Exception {
    assertThatThrownBy(() ->
            TallystickService.start(
                LocalNode::open,
                "--tallystick.data-dir=" + directory,
                "--tallystick.port=0",
                "--tallystick.http-port=0",
                "--spring.autoconfigure.exclude=java.lang.String"))
        .isInstanceOf(StartFailedException.class);
    assertThat(directory.resolve("keys")).as("what only a node makes").exists();
    DataDirectoryLock.acquire(directory).close();
  }

  @Test
  void tellsItsServicesToWhoeverAsksIfItIsToldTo() throws Exception {
    try (RunningService running =
        TallystickService.start(
            LocalNode::open,
            "--tallystick.port=0",
            "--tallystick.data-dir=" + directory,
            "--tallystick.grpc-reflection=true")) {
      ManagedChannel channel =
          NettyChannelBuilder.forTarget(running.target()).usePlaintext().build();
      assertThat(reflectedServices(channel))
          .contains("tallystick.v1.JournalService", "grpc.health.v1.Health");
      channel.shutdownNow();
    }
  }

  private static String reflectedServices(ManagedChannel channel) throws Exception {
    CompletableFuture<String> services = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(channel)
            .serverReflectionInfo(
                new StreamObserver<ServerReflectionResponse>() {
                  @Override
                  public void onNext(ServerReflectionResponse response) {
                    services.complete(response.getListServicesResponse().toString());
                  }

                  @Override
                  public void onError(Throwable failure) {
                    services.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {}
                });
    requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    String found = services.get(60, TimeUnit.SECONDS);
    requests.onCompleted();
    return found;
  }

  @Test
  void refusesToListenBeyondLoopbackWithoutTls() {
    for (String address : new String[] {"0.0.0.0", "::", "192.0.2.1"}) {
      assertThatThrownBy(() -> startAt(address))
          .isInstanceOf(StartFailedException.class)
          .hasMessage(
              String.format(
                      Locale.ROOT,
                      "tallystick.address is %s, which is not a loopback address: that needs",
                      address)
                  + " tallystick.tls.certificate and tallystick.tls.private-key, or for"
                  + " development tallystick.insecure-dev");
    }
    assertThatThrownBy(() -> startAt("example.org"))
        .isInstanceOf(StartFailedException.class)
        .hasMessage(
            "tallystick.address is example.org, which is neither an IP address nor localhost");
  }

  private void startAt(String address) throws StartFailedException {
    TallystickService.start(
            LocalNode::open,
            "--tallystick.address=" + address,
            "--tallystick.port=0",
            "--tallystick.data-dir=" + directory)
        .close();
  }

  @Test
  void listensOnLoopbackWhateverTheFrameworksOwnSettingsSay() throws Exception {
    try (RunningService running =
        TallystickService.start(
            LocalNode::open,
            "--tallystick.port=0",
            "--tallystick.data-dir=" + directory,
            "--spring.grpc.server.address=0.0.0.0")) {
      assertThat(running.target()).startsWith("127.0.0.1:");
    }
  }

  @Test
  void startsByTheSettingsOfAFile() throws Exception {
    Path file = directory.resolve("settings");
    Path data = directory.resolve("données");
    Files.writeString(
        file,
        String.join(
            "\n",
            "# both ports",
            "tallystick.port = 0",
            "tallystick.data-dir = " + data,
            "tallystick.grpc-reflection = true",
            "tallystick.address = 192.0.2.1"));
    try (RunningService running =
        TallystickService.start(
            LocalNode::open, SettingsFile.read(file), "--tallystick.address=localhost")) {
      assertThat(running.target()).startsWith("127.0.0.1:");
      assertThat(data).isDirectory();
      assertThat(running.httpTarget()).doesNotEndWith(":4511");
    }
  }

  @Test
  void saysInOneLineThatTheDataDirectoryIsInUse() throws Exception {
    try (RunningService running =
        TallystickService.start(LocalNode::open, ServiceProperties.of(directory, 0))) {
      assertThat(running.port()).isPositive();
      assertThatThrownBy(
              () -> TallystickService.start(LocalNode::open, ServiceProperties.of(directory, 0)))
          .isInstanceOf(StartFailedException.class)
          .message()
          .contains(directory.toString())
          .doesNotContain("\n", "Exception", "bean");
    }
  }

  @Test
  void saysInOneLineThatTheKeysAreMissing() throws Exception {
    TallystickService.start(LocalNode::open, ServiceProperties.of(directory, 0)).close();
    try (Stream<Path> keys = Files.list(directory.resolve("keys"))) {
      for (Path key : keys.toList()) {
        Files.delete(key);
      }
    }
    assertThatThrownBy(
            () -> TallystickService.start(LocalNode::open, ServiceProperties.of(directory, 0)))
        .isInstanceOf(StartFailedException.class)
        .message()
        .contains("key")
        .doesNotContain("\n", "Exception", "bean");
  }

  @Test
  void saysWhatIsWrongWithANumberThatIsNone() {
    String versions = "tallystick.state.versions";
    refuses(versions, "abc", ": \"abc\" is no whole number of at most 2147483647");
    refuses(versions, "", ": it is empty; leave it out, or give a value");
    refuses("tallystick.state.versions-megabytes", "1.5", "no whole number of at most 9223372036");
    refuses("tallystick.tracing.sampling", "half", ": \"half\" is no number");
    refuses("tallystick.state.cache-megabytes", "99999999", "99999999 MiB, want at most ");
  }

  private static void refuses(String name, String value, String why) {
    assertThatThrownBy(() ->
            TallystickService.settings(
                List.of("--" + name + "=" + value), Map.of(), SettingsFile.NONE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(name + ": ")
        .hasMessageContaining(why);
  }

  @Test
  void refusesImpossiblePort() {
    assertThatThrownBy(() -> TallystickService.start(LocalNode::open, "--tallystick.port=70000"))
        .isInstanceOf(StartFailedException.class)
        .hasMessage("tallystick.port is 70000, want 0 to 65535");
  }
}
