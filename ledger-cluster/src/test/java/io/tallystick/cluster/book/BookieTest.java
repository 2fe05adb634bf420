package io.tallystick.cluster.book;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BookieTest {
  @TempDir private Path folder;

  private Bookie.Settings settings(String metadata, String address, int port) {
    return new Bookie.Settings(
        metadata,
        "alone",
        folder.resolve("alone"),
        address,
        port,
        Map.of("diskUsageThreshold", "0.999", "diskUsageWarnThreshold", "0.998"));
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      return free.getLocalPort();
    }
  }

  @Test
  void listensAtItsAddressAlone() throws Exception {
    int port = freePort();
    try (TestBookies others = TestBookies.start(folder, 0);
        Bookie bookie = Bookie.start(settings(others.metadata(), "127.0.0.1", port));
        Socket connected = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
      assertThatThrownBy(() -> new Socket(InetAddress.ofLiteral("127.0.0.2"), port).close())
          .as("from %s to %s", connected.getLocalSocketAddress(), bookie)
          .isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void doesNotStartAtTheAddressOfAnotherMachine() {
    assertThatThrownBy(
            () -> Bookie.start(settings("zk+null://127.0.0.1:1/ledgers", "192.0.2.1", 0)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("192.0.2.1 is no address of this machine");
  }
}
