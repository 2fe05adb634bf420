package io.tallystick.server.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: the operator hears once that appends are refused for want of room, and once that they go
/// on.
class RoomWatchTest {
  private final List<String> lines = new ArrayList<>();
  private final RoomWatch watch = new RoomWatch(3, 100, lines::add);

  @Test
  void tellsOnceThatThereIsTooLittleAndOnceThatThereIsEnough() {
    watch.isFree(100);
    assertThat(lines).isEmpty();
    watch.isFree(99);
    watch.isFree(7);
    watch.isFree(100);
    watch.isFree(200);
    assertThat(lines)
        .containsExactly(
            "shard 3 refuses appends as storage_full: 99 bytes are free, 100 are needed",
            "shard 3 has room again: appends go on");
  }

  /// A quota leaves blocks free that nobody gets: only a frame that was written shows room.
  @Test
  void believesNoFreeBlocksAfterAWriteThatFoundNone() {
    watch.isFull("no room");
    watch.isFree(200);
    watch.isFull("no room");
    assertThat(lines).containsExactly("shard 3 refuses appends as storage_full: no room");
    watch.isWritten();
    watch.isWritten();
    assertThat(lines).hasSize(2);
  }
}
