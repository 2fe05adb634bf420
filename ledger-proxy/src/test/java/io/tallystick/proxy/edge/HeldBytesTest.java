package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: who loses the connection when there is no room is who takes it from others. Method: shares
/// of made-up clients.
class HeldBytesTest {
  private static final Duration LONG_AGO = Duration.ofMillis(1);
  private static final Duration NEVER = Duration.ofDays(1);
  private static final int LOOK_MILLIS = 150;

  private final List<SocketAddress> closed = new ArrayList<>();

  private HeldBytes held(Duration heldMax) {
    return new HeldBytes(1_000, heldMax, closed::add);
  }

  private static SocketAddress client(int port) {
    return InetSocketAddress.createUnresolved("client", port);
  }

  private static HeldBytes.Share share(HeldBytes held, int port, boolean settled) {
    return held.new Share() {
      @Override
      @Nullable SocketAddress client() {
        return HeldBytesTest.client(port);
      }

      @Override
      boolean isSettled() {
        return settled;
      }
    };
  }

  @Test
  void hasRoomUpToTheBoundAndAgainAfterwards() {
    HeldBytes held = held(NEVER);
    HeldBytes.Share one = share(held, 1, false);
    assertThat(held.hasRoomFor(1_000)).isTrue();
    one.hold(600, 0);
    one.hold(400, 0);
    assertThat(held.hasRoomFor(1)).isFalse();
    one.release();
    one.release();
    assertThat(held.hasRoomFor(1_000)).isTrue();
    assertThat(held.hasRoomFor(1_001)).isFalse();
    one.end();
    one.hold(1_000, 0);
    assertThat(held.hasRoomFor(1_000)).as("whoever has ended holds nothing").isTrue();
    assertThat(closed).isEmpty();
  }

  @Test
  void blamesNobodyWhoHasTakenWhatWasHeld() throws Exception {
    HeldBytes held = held(LONG_AGO);
    share(held, 1, true).hold(900, 0);
    Thread.sleep(LOOK_MILLIS);
    share(held, 2, false).hold(100, 0);
    assertThat(held.hasRoomFor(1)).isTrue();
    assertThat(closed).isEmpty();
  }

  @Test
  void closesWhoHasHeldSomeForLongest() throws Exception {
    HeldBytes held = held(LONG_AGO);
    share(held, 1, false).hold(1, 0);
    Thread.sleep(LOOK_MILLIS);
    share(held, 2, false).hold(999, 0);
    assertThat(held.hasRoomFor(1)).isFalse();
    assertThat(closed).containsExactly(client(1));
  }

  @Test
  void closesWhoHoldsMostOfWhatCannotBeRefused() {
    HeldBytes held = held(NEVER);
    share(held, 1, false).hold(500, 0);
    for (int i = 0; i < 3; i++) {
      share(held, 2, false).hold(200, 0);
    }
    held.makeRoom();
    assertThat(closed).containsExactly(client(2));
  }

  @Test
  void refusesOnlyWhereItMayAndClosesNobodyForItAtOnce() {
    HeldBytes held = held(NEVER);
    share(held, 1, false).hold(1_000, 0);
    held.makeRoom();
    assertThat(held.hasRoomFor(1)).isFalse();
    assertThat(closed).isEmpty();
  }

  @Test
  void tellsWhatLiesInBuffersWithoutWhatEachPieceCosts() {
    HeldBytes held = held(NEVER);
    HeldBytes.Share one = share(held, 1, false);
    one.hold(600, 100);
    share(held, 2, false).hold(40, 10);
    assertThat(held.bytes()).isEqualTo(750);
    assertThat(held.bufferBytes()).isEqualTo(640);
    one.release(200, 50);
    assertThat(held.bytes()).isEqualTo(500);
    assertThat(held.bufferBytes()).isEqualTo(440);
    one.end();
    assertThat(held.bufferBytes()).isEqualTo(40);
    share(held, 3, true).hold(200, 0);
    assertThat(held.bufferBytes()).as("without what was taken meanwhile").isEqualTo(40);
    assertThat(held.bytes()).isEqualTo(50);
  }
}
