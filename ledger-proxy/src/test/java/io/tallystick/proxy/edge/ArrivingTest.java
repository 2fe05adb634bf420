package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.tallystick.api.v1.JournalServiceGrpc;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: messages that do not become whole, or wait for their turn, take bounded memory, and those
/// that are handled take none. Method: what the transport tells of streams, told by the test.
class ArrivingTest {
  /// Of the bound, as one piece of a message.
  private static final long EIGHTH = Arriving.BYTES_MAX / 8 - Arriving.PIECE_OVERHEAD_BYTES;

  private final List<SocketAddress> closed = new ArrayList<>();
  private final Arriving arriving = new Arriving(closed::add);

  private static SocketAddress client(int port) {
    return InetSocketAddress.createUnresolved("client", port);
  }

  private ServerStreamTracer stream(MethodDescriptor<?, ?> method, int port) {
    ServerStreamTracer tracer =
        arriving.newServerStreamTracer(method.getFullMethodName(), new Metadata());
    tracer.serverCallStarted(new Started<>(method, client(port)));
    return tracer;
  }

  private static final class Started<Q, R> extends ServerStreamTracer.ServerCallInfo<Q, R> {
    private final MethodDescriptor<Q, R> method;
    private final SocketAddress client;

    Started(MethodDescriptor<Q, R> method, SocketAddress client) {
      this.method = method;
      this.client = client;
    }

    @Override
    public MethodDescriptor<Q, R> getMethodDescriptor() {
      return method;
    }

    @Override
    public Attributes getAttributes() {
      return Attributes.newBuilder().set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, client).build();
    }

    @Override
    public @Nullable String getAuthority() {
      return null;
    }
  }

  @Test
  void closesTheConnectionThatHasMostHalfSent() {
    ServerStreamTracer other = stream(JournalServiceGrpc.getAppendMethod(), 1);
    for (int i = 0; i < 3; i++) {
      other.inboundWireSize(EIGHTH);
    }
    for (int i = 0; i < 5; i++) {
      assertThat(closed).isEmpty();
      stream(JournalServiceGrpc.getGetJournalsMethod(), 2).inboundWireSize(EIGHTH);
    }
    assertThat(closed).as("all is full, and no more").isEmpty();
    stream(JournalServiceGrpc.getAppendMethod(), 3).inboundWireSize(1);
    assertThat(closed).containsExactly(client(2));
  }

  /// As the handler of a call sees it.
  private static void handle(ServerStreamTracer stream) {
    stream
        .filterContext(Context.ROOT)
        .run(() -> Objects.requireNonNull(Arriving.current()).handled());
  }

  @Test
  void forgetsWhatIsHandledAndAnyCallThatHasEnded() {
    ServerStreamTracer append = stream(JournalServiceGrpc.getAppendMethod(), 1);
    for (int i = 0; i < 100; i++) {
      append.inboundWireSize(EIGHTH);
      append.inboundMessageRead(i, EIGHTH, EIGHTH);
      handle(append);
      ServerStreamTracer read = stream(JournalServiceGrpc.getGetJournalsMethod(), 1);
      read.inboundWireSize(EIGHTH);
      read.streamClosed(i % 2 == 0 ? Status.OK : Status.CANCELLED);
    }
    assertThat(closed).isEmpty();
  }

  @Test
  void remembersAMessageThatWaitsForItsTurn() {
    for (int i = 0; i < 9; i++) {
      ServerStreamTracer read = stream(JournalServiceGrpc.getGetJournalsMethod(), 1);
      read.inboundWireSize(EIGHTH);
      read.inboundMessageRead(0, EIGHTH, EIGHTH);
    }
    assertThat(closed).containsExactly(client(1));
  }

  @Test
  void countsWhatEachPieceIsKeptIn() {
    ServerStreamTracer trickling = stream(JournalServiceGrpc.getAppendMethod(), 1);
    long pieces = Arriving.BYTES_MAX / (1 + Arriving.PIECE_OVERHEAD_BYTES);
    for (long i = 0; i < pieces; i++) {
      trickling.inboundWireSize(1);
    }
    assertThat(closed).isEmpty();
    trickling.inboundMessageRead(0, pieces, pieces);
    handle(trickling);
    for (long i = 0; i < pieces; i++) {
      trickling.inboundWireSize(1);
    }
    assertThat(closed).as("what was handled takes nothing").isEmpty();
    trickling.inboundWireSize(Arriving.PIECE_OVERHEAD_BYTES);
    assertThat(closed).containsExactly(client(1));
  }

  /// gRPC asks for a second message where there is to be one: its beginning arrives before the
  /// first is handled.
  @Test
  void remembersTheBeginningOfAMessageBehindOneThatIsHandled() {
    for (int i = 0; i < 9; i++) {
      ServerStreamTracer read = stream(JournalServiceGrpc.getGetJournalsMethod(), 1);
      read.inboundWireSize(10);
      read.inboundMessageRead(0, 10, 10);
      read.inboundWireSize(EIGHTH);
      handle(read);
    }
    assertThat(closed).containsExactly(client(1));
  }

  @Test
  void forgetsEachMessageWhenItIsHandledAndNotBefore() {
    ServerStreamTracer append = stream(JournalServiceGrpc.getAppendMethod(), 1);
    for (int i = 0; i < 100; i++) {
      append.inboundWireSize(4 * EIGHTH);
      append.inboundMessageRead(i, 4 * EIGHTH, 4 * EIGHTH);
      if (i > 0) {
        handle(append); // the one before
      }
    }
    assertThat(closed).isEmpty();
    append.inboundWireSize(5 * EIGHTH);
    assertThat(closed).containsExactly(client(1));
  }
}
