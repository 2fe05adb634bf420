package io.tallystick.server.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a process claims a shard again over its own claim alone, whatever the other is called.
class SharedOwnershipTest {
  private static final StreamId SHARD = new StreamId(0);

  private final TwinCluster cluster = new TwinCluster(1);

  @BeforeEach
  void found() throws Exception {
    cluster.found(SHARD);
  }

  private SharedOwnership process(String name) {
    return new SharedOwnership(
        cluster.server(name, Steps.NONE, TwinCluster.SMALL).claims(), SHARD, name);
  }

  @Test
  void aProcessOfTheSameNameIsAnother() throws Exception {
    SharedOwnership old = process("server-1");
    assertThat(old.next(SHARD)).isEqualTo(1);
    assertThat(old.isOurs()).isTrue();
    SharedOwnership replacement = process("server-1");
    assertThat(replacement.isOurs()).isFalse();
    assertThat(replacement.next(SHARD)).isEqualTo(2);
    assertThat(old.isOurs()).isFalse();
    assertThat(replacement.isOurs()).isTrue();
    assertThat(replacement.next(SHARD)).isEqualTo(3);
  }

  @Test
  void aSecondClaimIsMadeOverTheFirstAndOverNoOther() throws Exception {
    SharedOwnership slow = process("server-1");
    assertThat(slow.next(SHARD)).isEqualTo(1);
    assertThat(slow.next(SHARD)).isEqualTo(2);
    SharedOwnership other = process("server-2");
    assertThat(other.next(SHARD)).isEqualTo(3);
    assertThatThrownBy(() -> slow.next(SHARD)).isInstanceOf(StreamFencedException.class);
    assertThat(other.isOurs()).isTrue();
  }
}
