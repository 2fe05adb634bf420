package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.proxy.ServiceProperties;
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
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try (RestService rest = new RestService(ServiceProperties.of(data, 0))) {
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
}
