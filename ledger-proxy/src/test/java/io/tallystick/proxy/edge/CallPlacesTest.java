package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: of calls that wait the longest makes room, and not one that waits for the service; of
/// those that have ended the longest costs its client the connection. Method: places of made-up
/// calls.
class CallPlacesTest {
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration SHORT = Duration.ofMillis(200);

  private final List<SocketAddress> closed = new ArrayList<>();
  private final List<SocketAddress> displaced = new ArrayList<>();

  private CallPlaces places(int callsMax, Duration silentMax, Duration idleMax) {
    return new CallPlaces(new CallLimit.Bounds(callsMax, silentMax, idleMax), closed::add);
  }

  private static SocketAddress client(int port) {
    return InetSocketAddress.createUnresolved("client", port);
  }

  private CallPlaces.Place place(int port, boolean streams) {
    return new CallPlaces.Place(client(port), streams) {
      @Override
      void displace() {
        displaced.add(client(port));
      }
    };
  }

  @Test
  void countsACallOnceHoweverOftenItEnds() {
    CallPlaces places = places(1, NEVER, NEVER);
    for (int i = 0; i < 5; i++) {
      CallPlaces.Place call = place(i, i % 2 == 0);
      assertThat(places.enter(call)).isTrue();
      places.asked(call);
      places.heard(call);
      assertThat(places.enter(place(99, false))).isFalse();
      assertThat(places.keep(call)).isTrue();
      assertThat(places.end(call)).isTrue();
      places.leave(call);
      places.leave(call);
    }
    assertThat(places.enter(place(6, false))).isTrue();
    assertThat(places.enter(place(7, false))).isFalse();
    assertThat(displaced).isEmpty();
  }

  @Test
  void whoHasWaitedLongestMakesRoomWhateverForIt() throws Exception {
    CallPlaces places = places(3, Duration.ZERO, Duration.ZERO);
    CallPlaces.Place message = place(1, false);
    CallPlaces.Place nothing = place(2, false);
    CallPlaces.Place later = place(3, false);
    for (CallPlaces.Place each : List.of(message, nothing, later)) {
      assertThat(places.enter(each)).isTrue();
      places.asked(each);
      if (!each.equals(nothing)) {
        places.heard(each);
      }
      Thread.sleep(2);
    }
    for (int i = 4; i < 7; i++) {
      assertThat(places.enter(place(i, false))).isTrue();
    }
    assertThat(displaced).containsExactly(client(1), client(2), client(3));
    assertThat(places.keep(later)).isFalse();
    assertThat(places.end(nothing)).isFalse();
  }

  /// A stream that has entered and sent a message.
  private CallPlaces.Place speaks(CallPlaces places) {
    CallPlaces.Place stream = place(1, true);
    assertThat(places.enter(stream)).isTrue();
    places.asked(stream);
    places.heard(stream);
    return stream;
  }

  @Test
  void aStreamThatWaitsForTheServiceIsGivenMoreTime() throws Exception {
    CallPlaces places = places(1, NEVER, SHORT);
    CallPlaces.Place stream = speaks(places);
    Thread.sleep(2 * SHORT.toMillis());
    assertThat(places.enter(place(2, true))).isFalse();
    places.asked(stream);
    assertThat(places.enter(place(3, true))).isFalse();
    Thread.sleep(2 * SHORT.toMillis());
    assertThat(places.enter(place(4, true))).isTrue();
    assertThat(displaced).containsExactly(client(1));
  }

  @Test
  void aStreamThatWaitsForTheServiceForVeryLongMakesRoom() throws Exception {
    CallPlaces places = places(1, NEVER, SHORT);
    speaks(places);
    Thread.sleep(7 * SHORT.toMillis());
    assertThat(places.enter(place(2, true))).isTrue();
    assertThat(displaced).containsExactly(client(1));
  }

  @Test
  void refusedCallsCountUntilTheirEndHasLeft() {
    CallPlaces places = places(2, NEVER, NEVER);
    for (int i = 1; i <= 2; i++) {
      assertThat(places.enter(place(i, false))).isTrue();
    }
    CallPlaces.Place leaves = place(3, false);
    assertThat(places.enter(leaves)).isFalse();
    for (int i = 4; i <= 6; i++) {
      assertThat(places.enter(place(i, false))).isFalse();
    }
    assertThat(closed).as("they have had little time").isEmpty();
    places.leave(leaves);
    assertThat(places.enter(place(7, false))).isFalse();
    assertThat(closed).as("twice as many, and no more").isEmpty();
    assertThat(places.enter(place(8, false))).isFalse();
    assertThat(closed).containsExactly(client(4));
  }

  @Test
  void whoHasNotTakenAnEndForASecondMakesRoomSooner() throws Exception {
    CallPlaces places = places(1, NEVER, NEVER);
    CallPlaces.Place stuck = place(1, false);
    assertThat(places.enter(stuck)).isTrue();
    assertThat(places.end(stuck)).isTrue();
    Thread.sleep(1_100);
    places.makeRoomForEnded();
    assertThat(closed).isEmpty();
    CallPlaces.Place next = place(2, false);
    assertThat(places.enter(next)).isTrue();
    assertThat(places.end(next)).isTrue();
    places.makeRoomForEnded();
    assertThat(closed).containsExactly(client(1));
  }
}
