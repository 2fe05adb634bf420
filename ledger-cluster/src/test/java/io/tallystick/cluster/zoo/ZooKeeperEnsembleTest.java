package io.tallystick.cluster.zoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: each server of an ensemble has a number of its own, and keeps it. Method: by hand.
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
}
