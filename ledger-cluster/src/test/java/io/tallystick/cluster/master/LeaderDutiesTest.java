package io.tallystick.cluster.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Goal: duties that cannot begin are tried again ever later, whatever the reason, and begin once
/// they can. Method: turns in quick succession, duties that fail as the test says.
class LeaderDutiesTest {
  @Test
  void whatCannotBeginIsTriedAgainEverLater() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    AtomicInteger ends = new AtomicInteger();
    AtomicBoolean failing = new AtomicBoolean(true);
    try (LeaderDuties duties =
        new LeaderDuties(() -> {
          if (tries.incrementAndGet() == 1) {
            throw new NoClassDefFoundError("as the test says");
          }
          if (failing.get()) {
            throw new IOException("as the test says");
          }
          return ends::incrementAndGet;
        })) {
      long end = System.nanoTime() + 1_200_000_000L;
      while (System.nanoTime() - end < 0) {
        duties.turn(true);
        Thread.sleep(5);
      }
      assertThat(tries.get()).isBetween(2, 3);
      failing.set(false);
      int before = tries.get();
      Waiting.until(
          "they begin",
          () -> {
            duties.turn(true);
            return tries.get() > before;
          });
      Waiting.until(
          "they end",
          () -> {
            duties.turn(false);
            return ends.get() == 1;
          });
    }
    assertThat(ends).hasValue(1);
  }

  @Test
  void allIsClosedThoughOneFails() {
    List<Integer> closed = new ArrayList<>();
    Deque<AutoCloseable> opened = new ArrayDeque<>();
    for (int i = 0; i < 3; i++) {
      int number = i;
      opened.push(() -> {
        closed.add(number);
        if (number == 1) {
          throw new IOException("as the test says");
        }
      });
    }
    LeaderDuties.closeAll(opened);
    assertThat(closed).containsExactly(2, 1, 0);
  }
}
