package io.tallystick.server.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.framing.FrameBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal: a burst of frames leaves only a few buffers behind. Method: as many buffers under way as
/// the backlog allows, then all given back.
class FramePoolTest {
  @Test
  void keepsAFewBuffersHoweverManyWereUnderWay() {
    FramePool pool = new FramePool();
    List<FrameBuffer> underWay = new ArrayList<>();
    for (int i = 0; i < 256; i++) {
      underWay.add(pool.take());
    }
    Set<FrameBuffer> all = Collections.newSetFromMap(new IdentityHashMap<>());
    all.addAll(underWay);
    assertThat(all).hasSize(256);
    underWay.forEach(pool::recycle);
    int reused = 0;
    for (int i = 0; i < 256; i++) {
      reused += all.contains(pool.take()) ? 1 : 0;
    }
    assertThat(reused).isEqualTo(FramePool.IDLE_MAX);
  }

  @Test
  void takesTheNewestFirstSoThatTheOthersStaySmall() {
    FramePool pool = new FramePool();
    FrameBuffer first = pool.take();
    FrameBuffer second = pool.take();
    pool.recycle(first);
    pool.recycle(second);
    assertThat(pool.take()).isSameAs(second);
    assertThat(pool.take()).isSameAs(first);
  }
}
