package io.tallystick.cluster.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.master.identity.Claimant.Remembered;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what a server saw of a shard is on its disk, and never less than before.
class OwnRecordTest {
  @TempDir private Path folder;

  @Test
  void keepsTheHighestEpochAndFrameOverARestart() throws Exception {
    OwnRecord first = OwnRecord.open(folder.resolve("seen"), 3);
    first.flush();
    assertThat(first.remembered()).isEmpty();
    first.claimed(7);
    assertThat(OwnRecord.open(folder.resolve("seen"), 3).remembered())
        .as("at once")
        .contains(new Remembered(7, -1));
    first.confirmed(40);
    first.confirmed(41);
    assertThat(first.remembered()).contains(new Remembered(7, -1));
    first.flush();
    OwnRecord second = OwnRecord.open(folder.resolve("seen"), 3);
    assertThat(second.remembered()).contains(new Remembered(7, 41));
    second.claimed(8);
    assertThat(OwnRecord.open(folder.resolve("seen"), 3).remembered())
        .contains(new Remembered(8, 41));
    assertThat(OwnRecord.open(folder.resolve("seen"), 4).remembered()).isEmpty();
  }

  @Test
  void refusesWhatItDidNotWrite() throws Exception {
    Files.writeString(folder.resolve("00003.seen"), "epoch 7 frame -2\n");
    assertThatThrownBy(() -> OwnRecord.open(folder, 3)).isInstanceOf(CorruptStreamException.class);
  }
}
