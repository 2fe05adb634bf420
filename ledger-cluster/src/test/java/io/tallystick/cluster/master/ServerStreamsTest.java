package io.tallystick.cluster.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.master.placement.Suspicion;
import io.tallystick.master.presence.PresentServer;
import io.tallystick.wire.ServerWatch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Goal: a server whose process is gone is suspected at once; one that was never reached, that
/// leaves, or to which one stream broke and the next holds, is not. Method: streams that the test
/// ends.
class ServerStreamsTest {
  private static final PresentServer A = server("a", 1);
  private static final PresentServer B = server("b", 2);

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger suspected = new AtomicInteger();
  private final List<Begun> begun = new ArrayList<>();
  private final Suspicion suspicion =
      new Suspicion(Duration.ofSeconds(10), nanos::get, System::currentTimeMillis);
  private boolean refuses;
  private final ServerStreams streams =
      new ServerStreams(this::begin, suspicion, suspected::incrementAndGet, nanos::get);

  private record Begun(PresentServer server, ServerWatch.Listener listener, AtomicInteger closings)
      implements AutoCloseable {
    @Override
    public void close() {
      closings.incrementAndGet();
    }
  }

  private static PresentServer server(String id, long incarnation) {
    return new PresentServer(id, incarnation, "127.0.0.1:1", 0, 4, List.of(), List.of(), 0);
  }

  private AutoCloseable begin(PresentServer server, ServerWatch.Listener listener)
      throws IOException {
    if (refuses) {
      throw new IOException("no certificate");
    }
    Begun stream = new Begun(server, listener, new AtomicInteger());
    begun.add(stream);
    return stream;
  }

  private ServerWatch.Listener newest() {
    return begun.getLast().listener();
  }

  @Test
  void aServerThatDoesNotAnswerAgainIsSuspectedOnceAndTrustedWhenItDoes() {
    streams.turn(List.of(A, B));
    assertThat(begun).extracting(Begun::server).containsExactly(A, B);
    begun.get(0).listener().up();
    begun.get(1).listener().up();
    begun.get(0).listener().reset();
    assertThat(suspicion.isAlive(A)).as("tried again first").isTrue();
    newest().reset();
    assertThat(suspected).hasValue(1);
    assertThat(suspicion.isAlive(A)).isFalse();
    assertThat(suspicion.isAlive(B)).isTrue();
    assertThat(suspicion.isAlive(server("a", 3))).as("started anew").isTrue();
    streams.turn(List.of(A, B));
    newest().up();
    assertThat(suspicion.isAlive(A)).isTrue();
    assertThat(suspected).hasValue(1);
  }

  @Test
  void aStreamThatOnlyBreaksIsBegunAgain() {
    streams.turn(List.of(A));
    newest().up();
    newest().reset();
    assertThat(begun).hasSize(2);
    newest().up();
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    streams.turn(List.of(A));
    assertThat(begun).hasSize(2);
    assertThat(suspected).hasValue(0);
    assertThat(suspicion.isAlive(A)).isTrue();
  }

  @Test
  void aServerThatStandsStillAfterItsStreamBrokeIsSuspected() {
    streams.turn(List.of(A));
    newest().up();
    newest().reset();
    nanos.addAndGet(Duration.ofMillis(400).toNanos());
    streams.turn(List.of(A));
    assertThat(suspected).hasValue(0);
    nanos.addAndGet(Duration.ofMillis(200).toNanos());
    streams.turn(List.of(A));
    assertThat(suspected).hasValue(1);
    assertThat(suspicion.isAlive(A)).isFalse();
    assertThat(begun.get(1).closings()).hasValue(1);
  }

  @Test
  void aServerThatThisMasterNeverReachedIsNotSuspected() {
    streams.turn(List.of(A));
    newest().reset();
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    streams.turn(List.of(A));
    newest().reset();
    refuses = true;
    streams.turn(List.of(A));
    assertThat(begun).hasSize(2);
    assertThat(suspected).hasValue(0);
    assertThat(suspicion.isAlive(A)).isTrue();
  }

  @Test
  void streamsToServersThatAreShownNoMoreAreClosed() {
    streams.turn(List.of(A, B));
    begun.get(0).listener().up();
    streams.turn(List.of(B));
    assertThat(begun.get(0).closings()).hasValue(1);
    assertThat(begun.get(1).closings()).hasValue(0);
    streams.close();
    assertThat(begun.get(1).closings()).hasValue(1);
    begun.get(1).listener().reset();
    assertThat(suspected).hasValue(0);
  }
}
