package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.testkit.Waiting;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a master learns at once that a server's process is gone, also one that owns no shard, and
/// a watched server stops without waiting for its watchers.
class ServerWatchTest {
  private static final Duration SOON = Duration.ofSeconds(3);

  @TempDir private Path folder;

  private static final class Told implements ServerWatch.Listener {
    private final AtomicInteger ups = new AtomicInteger();
    private final AtomicInteger resets = new AtomicInteger();

    @Override
    public void up() {
      ups.incrementAndGet();
    }

    @Override
    public void reset() {
      resets.incrementAndGet();
    }
  }

  private static ServerWatch watch(WiredNode node, int port, Told told) throws Exception {
    WireTls tls = node.cluster.of(WireRole.MASTER.uri(WiredNode.CLUSTER));
    return ServerWatch.begin(
        new NodeStub.Target(WiredNode.loopback(port), Optional.of(tls), WireRole.MASTER), told);
  }

  @Test
  void tellsOnceThatTheServerIsThereAndOnceThatItIsGone() throws Exception {
    WiredNode node = new WiredNode(folder, true);
    Told told = new Told();
    Told left = new Told();
    ServerWatch other = watch(node, node.listener.port(), left);
    try (ServerWatch watch = watch(node, node.listener.port(), told)) {
      Waiting.until("both are up", () -> told.ups.get() == 1 && left.ups.get() == 1);
      other.close();
      long began = System.nanoTime();
      node.close();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
      Waiting.until("the stream is reset", () -> told.resets.get() == 1);
      assertThat(left.resets).as("of one that was closed here").hasValue(0);
      assertThat(told.ups).hasValue(1);
      assertThat(watch).isNotNull();
    }
    assertThat(told.resets).hasValue(1);
  }

  @Test
  void aServerThatIsNotThereIsResetAndNeverUp() throws Exception {
    WiredNode node = new WiredNode(folder, true);
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Told told = new Told();
    try (ServerWatch watch = watch(node, port, told)) {
      Waiting.until("it is refused", () -> told.resets.get() == 1);
      assertThat(told.ups).hasValue(0);
      assertThat(watch).isNotNull();
    } finally {
      node.close();
    }
  }
}
