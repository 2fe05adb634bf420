package io.tallystick.client.testcontainers;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.TlsOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/// A Tallystick service in a container, for tests: `image/build` makes the image. It keeps its data
/// in a volume that goes with the container. It speaks TLS, with a certificate made for this
/// container, which {@link #config} trusts and no other; {@link #key} may found ledgers.
public final class TallystickContainer extends GenericContainer<TallystickContainer> {
  /// Of gRPC; {@link #target} says where it is reached.
  public static final int PORT = 4510;

  /// Of REST.
  public static final int REST_PORT = 4511;

  private static final Duration START_MAX = Duration.ofMinutes(2);
  private static final String FOLDER = "/run/tallystick/";
  private static final Pattern LISTENING =
      Pattern.compile("^Listening on [^, ]*:([0-9]+), REST on [^, ]*:([0-9]+)", Pattern.MULTILINE);

  private final ClientKey key = ClientKey.generate();
  private @Nullable TestCertificate certificate;

  /// @param image as `docker load` names it, `tallystick:0.1.0-SNAPSHOT`
  public TallystickContainer(String image) {
    this(DockerImageName.parse(image));
  }

  public TallystickContainer(DockerImageName image) {
    super(image);
    withExposedPorts(PORT, REST_PORT);
    withCommand("up");
    // The image has no shell, by which other strategies look for open ports.
    waitingFor(Wait.forLogMessage("(?s).*Listening on .*", 1).withStartupTimeout(START_MAX));
  }

  @Override
  protected void configure() {
    if (onHostNetwork()) {
      setExposedPorts(List.of()); // there none is mapped, for which a start would wait
    }
    TestCertificate made = TestCertificate.of(DockerClientFactory.instance().dockerHostIpAddress());
    certificate = made;
    file("tls.crt", made.chain());
    file("tls.key", made.key());
    file("founders.txt", "founder " + key.kid() + "  the test\n");
    // As variables, so that a command of the test's own has them, too.
    withEnv("TALLYSTICK_ADDRESS", "0.0.0.0");
    withEnv("TALLYSTICK_AUTHORITY", "localhost");
    withEnv("TALLYSTICK_TLS_CERTIFICATE", FOLDER + "tls.crt");
    withEnv("TALLYSTICK_TLS_PRIVATEKEY", FOLDER + "tls.key");
    withEnv("TALLYSTICK_FOUNDERS", FOLDER + "founders.txt");
  }

  private boolean onHostNetwork() {
    return "host".equals(getNetworkMode());
  }

  private void file(String name, String content) {
    withCopyToContainer(Transferable.of(content, 0444), FOLDER + name);
  }

  /// Where the service listens for gRPC, `host:port`.
  public String target() {
    return getHost() + ":" + port(1, PORT);
  }

  /// Where its REST interface is, `https://host:port`.
  public String restTarget() {
    return "https://" + getHost() + ":" + port(2, REST_PORT);
  }

  /// On the host's own network nothing is mapped: there the service says which ports it has.
  private int port(int group, int inside) {
    if (!onHostNetwork()) {
      return getMappedPort(inside);
    }
    Matcher line = LISTENING.matcher(getLogs());
    if (!line.find()) {
      throw new IllegalStateException("the service does not listen: " + getLogs());
    }
    return Integer.parseInt(line.group(group));
  }

  /// The key that may found ledgers of this service.
  public ClientKey key() {
    return key;
  }

  /// The certificate that the service shows, in PEM.
  public String certificate() {
    if (certificate == null) {
      throw new IllegalStateException("the container has not been started");
    }
    return certificate.chain();
  }

  /// What a client of it needs.
  ///
  /// @param trustDirectory of the client; its own, if the container is a new one
  public ClientConfig config(Path trustDirectory) {
    try {
      Files.createDirectories(trustDirectory);
      Path issuer = Files.writeString(trustDirectory.resolve("container.crt"), certificate());
      return ClientConfig.of(target(), trustDirectory).withTls(TlsOptions.of(issuer, null, null));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
