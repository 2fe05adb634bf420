package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.StartFailedException;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the log says with what a service starts, what a crash cost it, and that it stops. Method:
/// three runs in one data directory; before the second, a torn frame lies behind the last whole
/// one.
class StartLogTest {
  private static final int FRAME_ALIGNMENT = 64;

  @TempDir private Path data;

  private List<String> run(String name) throws Exception {
    return run(name, ServiceProperties.of(data, 0));
  }

  private static List<String> run(String name, ServiceProperties properties) throws Exception {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try (RestService rest = new RestService(properties)) {
      String ledger = rest.found(name, RestService.key(SignatureAlgorithm.ED25519));
      assertThat(ledger).isNotEmpty();
    } finally {
      System.setErr(before);
    }
    return log.toString(StandardCharsets.UTF_8).lines().toList();
  }

  /// As a crash leaves the beginning of a frame.
  private long tear(int bytes) throws Exception {
    Path segment = data.resolve("stream/00000000/00000000.seg");
    byte[] content = Files.readAllBytes(segment);
    int end = content.length;
    while (content[end - 1] == 0) {
      end--;
    }
    long at = Math.ceilDiv(end, FRAME_ALIGNMENT) * (long) FRAME_ALIGNMENT;
    byte[] torn = new byte[bytes];
    Arrays.fill(torn, (byte) 0x55);
    try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(torn), at);
    }
    return at;
  }

  @Test
  void startTornFrameAndStopAreTold() throws Exception {
    List<String> first = run("first");
    assertThat(first)
        .filteredOn(line -> line.contains(" serves "))
        .singleElement()
        .asString()
        .contains("INFO", "RunningService: Tallystick ", " serves localhost of " + data)
        .contains("gRPC on 127.0.0.1:", "REST on http://127.0.0.1:", " ledgers: 0, opened in ")
        .contains(", which nothing outside this machine or container reaches, ")
        .endsWith("time is not anchored");
    assertThat(first.getLast()).contains("Tallystick has stopped after ");
    assertThat(first).filteredOn(line -> line.contains("was not whole")).isEmpty();
    long at = tear(100);
    List<String> second = run("second");
    assertThat(second)
        .filteredOn(line -> line.contains("was not whole"))
        .singleElement()
        .asString()
        .contains("WARN", "100 bytes from offset " + at + " of stream/00000000/00000000.seg");
    assertThat(second).anyMatch(line -> line.contains(" ledgers: 1, opened in "));
    assertThat(run("third")).filteredOn(line -> line.contains("was not whole")).isEmpty();
  }

  @Test
  void aServiceForDevelopmentSaysThatItIsInsecureAndServesNoOtherAuthority() throws Exception {
    ServiceProperties settings = ServiceProperties.of(data, 0);
    assertThat(settings.forDevelopment("0.0.0.0").listen().address()).isEqualTo("0.0.0.0");
    assertThat(run("anybody's", settings.forDevelopment("127.0.0.1")))
        .filteredOn(line -> line.contains(" serves "))
        .singleElement()
        .asString()
        .contains("WARN", "INSECURE, for development alone: no TLS, anybody may found ledgers");
    String why =
        "tallystick.insecure-dev is true, which only the authority localhost may have, not ";
    String[] named = {"--tallystick.insecure-dev=true", "--tallystick.authority=a.example"};
    assertThatThrownBy(() -> TallystickService.start(LocalNode::open, named))
        .isInstanceOf(StartFailedException.class)
        .hasMessage(why + "a.example");
    Path real = data.resolve("real");
    String[] first = {
      "--tallystick.authority=b.example", "--tallystick.port=0", "--tallystick.data-dir=" + real
    };
    TallystickService.start(LocalNode::open, first).close();
    String[] then = {
      "--tallystick.insecure-dev=true", "--tallystick.port=0", "--tallystick.data-dir=" + real
    };
    assertThatThrownBy(() -> TallystickService.start(LocalNode::open, then))
        .isInstanceOf(StartFailedException.class)
        .hasMessage(why + "b.example");
  }
}
