package io.tallystick.cluster.zoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: each server of an ensemble has a number of its own, and keeps it and the list of all.
/// Method: by hand.
class ZooKeeperEnsembleTest {
  private static final List<String> HOSTS = List.of("zk-0.zk.ns.svc", "zk-1.zk.ns.svc", "zk-10.zk");

  @TempDir Path data;

  @Test
  void knowsItselfByItsHostOrTheFirstLabel() {
    assertThat(ZooKeeperEnsemble.of(HOSTS, "zk-1").self()).isEqualTo(2);
    assertThat(ZooKeeperEnsemble.of(HOSTS, "zk-10.zk").self()).isEqualTo(3);
    assertThat(ZooKeeperEnsemble.of(HOSTS, "zk-0").settings(true))
        .containsAllEntriesOf(
            Map.of(
                "server.1", "zk-0.zk.ns.svc:2888:3888",
                "server.3", "zk-10.zk:2888:3888",
                "quorumListenOnAllIPs", "true"));
  }

  @Test
  void refusesAnotherName() {
    assertThatThrownBy(() -> ZooKeeperEnsemble.of(HOSTS, "zk"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 hosts of the ensemble are called zk");
    assertThatThrownBy(() -> ZooKeeperEnsemble.of(List.of("a", "a"), "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("each once");
  }

  @Test
  void keepsItsNumber() throws Exception {
    ZooKeeperEnsemble.of(HOSTS, "zk-1").keepNumber(data);
    assertThat(data.resolve("myid")).content().isEqualTo("2\n");
    ZooKeeperEnsemble.of(HOSTS, "zk-1").keepNumber(data);
    assertThatThrownBy(() -> ZooKeeperEnsemble.of(HOSTS, "zk-0").keepNumber(data))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is of server 2 of the ensemble, this is server 1");
  }

  /// A majority of the new list need not know what was decided under the old one.
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5})
  void refusesAnotherListThanItHasWrittenWith(int hosts) throws Exception {
    List<String> old = hosts(3);
    start(old, false);
    start(old, false);
    assertThatThrownBy(() -> start(hosts(hosts), false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("was written with the ensemble zk-0.zk,zk-1.zk,zk-2.zk, this one is")
        .hasMessageContaining("--ensemble-changed");
    start(old, false);
    start(hosts(hosts), true);
    assertThatThrownBy(() -> start(old, false)).isInstanceOf(IOException.class);
  }

  private static List<String> hosts(int count) {
    return IntStream.range(0, count).mapToObj(i -> "zk-" + i + ".zk").toList();
  }

  /// As far as ZooKeeper's own start, which a false setting prevents.
  private void start(List<String> hosts, boolean changed) throws IOException {
    Optional<ZooKeeperEnsemble> ensemble =
        hosts.isEmpty() ? Optional.empty() : Optional.of(ZooKeeperEnsemble.of(hosts, "zk-0"));
    try {
      ZooKeeperServer.start(
              data,
              "127.0.0.1",
              0,
              ensemble,
              changed,
              Map.of("tickTime", "no-time"),
              ExitHandler.LOG_ONLY)
          .close();
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).startsWith("ZooKeeper cannot start")) {
        throw e;
      }
    }
  }
}
