package io.tallystick.cluster.zoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.ChangeRefusedException.Reason;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.OutcomeUnknownException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: ZooKeeper keeps what the seam promises: all or nothing, versions, refusals by index, and
/// an outcome that is not known is told as such.
class ZooKeeperCoordinationTest {
  private static final Bytes ONE = Bytes.utf8("one");
  private static final Bytes TWO = Bytes.utf8("two");

  @TempDir Path folder;
  private TestZooKeeper server;
  private CuratorFramework curator;
  private ZooKeeperCoordination coordination;

  @BeforeEach
  void start() throws Exception {
    server = TestZooKeeper.start(folder);
    curator = server.connect();
    coordination = new ZooKeeperCoordination(curator);
  }

  @AfterEach
  void stop() {
    curator.close();
    server.close();
  }

  @Test
  void changesAreMadeTogether() throws Exception {
    coordination.commit(
        List.of(new Change.Create("/a", ONE, false), new Change.Create("/a/b", TWO, false)));
    coordination.commit(List.of(new Change.Check("/a", 0), new Change.Put("/a/b", ONE, 0)));

    assertThat(coordination.read("/a/b").orElseThrow().value()).isEqualTo(ONE);
    assertThat(coordination.read("/a/b").orElseThrow().version()).isEqualTo(1);
    assertThat(coordination.children("/a")).containsExactly("b");
    assertThat(coordination.read("/x")).isEmpty();
    assertThat(coordination.children("/x")).isEmpty();
  }

  @Test
  void aChangeThatCannotBeMadeIsNamedAndNoneIsMade() throws Exception {
    coordination.commit(List.of(new Change.Create("/a", ONE, false)));
    Change other = new Change.Create("/b", ONE, false);

    assertRefused(1, Reason.VERSION, other, new Change.Put("/a", TWO, 7));
    assertRefused(1, Reason.VERSION, other, new Change.Check("/a", 7));
    assertRefused(0, Reason.EXISTS, new Change.Create("/a", TWO, false), other);
    assertRefused(1, Reason.ABSENT, other, new Change.Create("/x/y", ONE, false));
    assertRefused(1, Reason.ABSENT, other, new Change.Delete("/x", 0));
    coordination.commit(List.of(new Change.Create("/a/c", ONE, false)));
    assertRefused(1, Reason.CHILDREN, other, new Change.Delete("/a", 0));
    assertThat(coordination.read("/b")).isEmpty();
  }

  private void assertRefused(int index, Reason reason, Change... changes) {
    ChangeRefusedException refusal =
        catchThrowableOfType(
            ChangeRefusedException.class, () -> coordination.commit(List.of(changes)));
    assertThat(refusal.index()).isEqualTo(index);
    assertThat(refusal.reason()).isEqualTo(reason);
  }

  @Test
  void anEphemeralGoesWithItsSession() throws Exception {
    try (CuratorFramework another = server.connect()) {
      new ZooKeeperCoordination(another).commit(List.of(new Change.Create("/alive", ONE, true)));
      assertThat(coordination.read("/alive")).isPresent();
    }
    assertThat(coordination.read("/alive")).isEmpty();
  }

  @Test
  void aServerThatDoesNotAnswerLeavesTheOutcomeUnknown() throws Exception {
    coordination.commit(List.of(new Change.Create("/a", ONE, false)));
    server.stop();

    assertThatThrownBy(() -> coordination.commit(List.of(new Change.Put("/a", TWO, 0))))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(() -> coordination.read("/a")).isInstanceOf(IOException.class);

    server.startAgain();
    assertThat(Eventually.get(() -> coordination.read("/a")).orElseThrow().value()).isEqualTo(ONE);
  }
}
