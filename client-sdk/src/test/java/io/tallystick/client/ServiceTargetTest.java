package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: addresses are those of a service, or are refused in words. Method: texts that are none; a
/// client of a fake service that some of the addresses lead to.
class ServiceTargetTest {
  @TempDir private Path trust;

  private static void refuses(String text, String words) {
    assertThatThrownBy(() -> ServiceTarget.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(words);
  }

  @Test
  void refusesWhatIsNoAddress() {
    refuses("", "no address, want host:port");
    refuses(" ", "no address, want host:port");
    assertThatThrownBy(() -> new ServiceTarget(List.of())).hasMessageStartingWith("no address");
    for (String bad :
        List.of(
            "a",
            "a:",
            ":1",
            "a:0",
            "a:65536",
            "a:1/x",
            "::1:4510",
            "a b:1",
            "a_b:1",
            "-a:1",
            "1.2.3.4.5:1",
            "[:::]:1")) {
      refuses(bad, "\"" + bad + "\" is no address, want host:port");
      refuses("dns:///" + bad, "\"dns:///" + bad + "\" is no address, want host:port");
      refuses("good:1," + bad, "\"" + bad + "\" is no address, want host:port");
    }
    refuses("a:1,,b:2", "\"\" is no address, want host:port");
    refuses("dns://8.8.8.8/a:1", "\"dns://8.8.8.8/a:1\" is no address, want host:port");
  }

  @Test
  void refusesAnAddressThatIsThereTwice() {
    refuses("a:1,b:1,a:1", "address a:1 is there twice");
    refuses("a:1,A:001", "address A:001 is there twice");
    assertThat(ServiceTarget.parse("a:1,a:2").addresses()).hasSize(2);
  }

  @Test
  void refusesANameForDnsBesideOthers() {
    refuses("dns:///a:1,b:1", "dns:///a:1 stands alone, without other addresses");
    refuses("b:1,dns:///a:1", "dns:///a:1 stands alone, without other addresses");
  }

  @Test
  void refusesTooMany() {
    List<String> many =
        IntStream.rangeClosed(1, ServiceTarget.ADDRESSES_MAX + 1).mapToObj(i -> "a:" + i).toList();
    refuses(String.join(",", many), "65 addresses, at most 64");
    assertThat(new ServiceTarget(many.subList(1, many.size())).toString()).startsWith("a:2,a:3,");
    assertThatThrownBy(() -> new ServiceTarget(Collections.nCopies(65, "a:1")))
        .hasMessage("65 addresses, at most 64");
  }

  @Test
  void needsTlsUnlessAllOfItIsThisMachine() {
    for (String here : List.of("localhost:1,127.0.0.2:1,[::1]:1", "dns:///localhost:1")) {
      assertThat(ClientConfig.of(here, trust).tls()).isNull();
    }
    for (String there : List.of("localhost:1,ledger.example.com:1", "dns:///a.example.com:1")) {
      ClientConfig config = ClientConfig.of(there, trust);
      assertThat(config.tls()).isNotNull();
      assertThatThrownBy(() ->
              new ClientConfig(config.target(), trust, config.calls(), null, null, config.heads()))
          .hasMessage(there + " is not this machine: that needs TLS");
    }
  }

  /// gRPC takes what stands before a colon for a scheme if there is one of that name.
  @Test
  void aHostMayBeCalledAsASchemeOfGrpc() {
    for (String host : List.of("tallystick", "dns", "unix", "127.0.0.1")) {
      try (TallyClient client = client(host + ":1")) {
        assertThatThrownBy(client::serviceDescription)
            .as(host)
            .isInstanceOf(ServiceUnavailableException.class)
            .hasMessageMatching("(?s).*(Connection refused|Unable to resolve host|resolve).*");
      }
    }
    assertThat(ServiceTarget.parse("tallystick:4510").grpcTarget())
        .isEqualTo("dns:///tallystick:4510");
    ManagedChannel channel = ServiceChannel.builder(ClientConfig.of("[::1]:4510", trust)).build();
    assertThat(channel.authority()).isEqualTo("[::1]:4510");
    channel.shutdownNow();
  }

  @Test
  void reachesTheServiceThatOneOfThemLeadsTo() throws TallyException {
    try (FakeService service = new FakeService()) {
      String live = service.target();
      for (String target : List.of("[::1]:1," + live, live + ",127.0.0.1:1", "dns:///" + live)) {
        try (TallyClient client = client(target, ServiceFixture.FAST)) {
          for (int i = 0; i < 3; i++) {
            assertThat(client.serviceDescription().version()).isEqualTo("fake");
          }
        }
      }
    }
  }

  /// gRPC calls it UNKNOWN, and says no word of it.
  @Test
  void tellsOfAnAddressThatIsNotSpokenTo() {
    try (TallyClient client = client("[::1]:1")) {
      assertThatThrownBy(client::serviceDescription)
          .isInstanceOf(ServiceUnavailableException.class)
          .hasMessageContaining(
              Boolean.getBoolean("java.net.preferIPv4Stack")
                  ? "this machine speaks to no such address"
                  : "Connection refused");
    }
  }

  @Test
  void tellsWhyNoneCanBeReached() {
    try (TallyClient client = client("127.0.0.1:1,127.0.0.1:2")) {
      assertThatThrownBy(client::serviceDescription)
          .isInstanceOf(ServiceUnavailableException.class)
          .hasMessageContaining("Connection refused");
    }
    try (TallyClient client = client("localhost.invalid:1,two.invalid:2")) {
      assertThatThrownBy(client::serviceDescription)
          .isInstanceOf(ServiceUnavailableException.class)
          .hasMessageContaining("Unable to resolve host");
    }
  }

  private TallyClient client(String target) {
    return client(target, ServiceFixture.HASTY);
  }

  private TallyClient client(String target, RetryPolicy retry) {
    return TallyClient.connect(ClientConfig.of(target, trust).withRetry(retry));
  }
}
