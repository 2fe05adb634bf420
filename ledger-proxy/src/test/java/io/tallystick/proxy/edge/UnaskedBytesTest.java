package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: what clients send to calls that ask for nothing takes bounded memory, and costs those the
/// connection whose calls ask for least. Method: streams that are never asked on, beside one that
/// is.
@Timeout(120)
class UnaskedBytesTest {
  private static final int WINDOW_BYTES = 1 << 20;

  /// Four windows and what their pieces cost.
  private static final int BYTES_MAX = 4 * (WINDOW_BYTES + WINDOW_BYTES / 64);

  private static final int MESSAGE_BYTES = 64 << 10;
  private static final int SILENT_MESSAGES = 2 * WINDOW_BYTES / MESSAGE_BYTES;
  private static final int ASKED_MESSAGES = 1_000;
  private static final int ROUNDS_MAX = 100;

  /// In a second.
  private static final int LOOKS = 10;

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<ServerCallStreamObserver<?>> calls = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : opened.reversed()) {
      one.close();
    }
  }

  /// Asks for nothing by itself.
  private final class Silent extends JournalServiceGrpc.JournalServiceImplBase {
    @Override
    public StreamObserver<AppendRequest> append(StreamObserver<AppendResponse> responses) {
      var call = (ServerCallStreamObserver<AppendResponse>) responses;
      call.disableAutoRequest();
      synchronized (calls) {
        calls.add(call);
      }
      return new StreamObserver<>() {
        @Override
        public void onNext(AppendRequest request) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
      };
    }
  }

  private Server start(BoundedTransport transport) throws IOException {
    opened.add(transport);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    transport.configure(builder);
    Server server =
        builder.flowControlWindow(WINDOW_BYTES).addService(new Silent()).build().start();
    opened.add(server::shutdownNow);
    return server;
  }

  private int begun() {
    synchronized (calls) {
      return calls.size();
    }
  }

  private ManagedChannel open(Server server, int messages) throws InterruptedException {
    return open(server, messages, MESSAGE_BYTES);
  }

  private ManagedChannel open(Server server, int messages, int messageBytes)
      throws InterruptedException {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
    opened.add(channel::shutdownNow);
    int before = begun();
    AppendClient client = AppendClient.open(channel);
    AppendRequest message =
        AppendRequest.newBuilder()
            .setAttestation(ByteString.copyFrom(new byte[messageBytes]))
            .build();
    for (int i = 0; i < messages; i++) {
      client.send(message);
    }
    for (int i = 0; i < ROUNDS_MAX && begun() == before; i++) {
      Thread.sleep(20);
    }
    assertThat(begun()).isEqualTo(before + 1);
    return channel;
  }

  private static long openOnes(List<ManagedChannel> channels) {
    return channels.stream()
        .filter(channel -> channel.getState(false) == ConnectivityState.READY)
        .count();
  }

  @Test
  void closesThoseOfWhomLeastIsAskedForAndNoMoreThanItMust() throws Exception {
    Server server = start(new BoundedTransport(100, BYTES_MAX, _ -> 0, () -> {}));
    ManagedChannel asked = open(server, ASKED_MESSAGES);
    ServerCallStreamObserver<?> asking = calls.getFirst();
    ScheduledExecutorService often = Executors.newSingleThreadScheduledExecutor();
    opened.add(often);
    var _ = often.scheduleWithFixedDelay(() -> asking.request(1), 0, 20, TimeUnit.MILLISECONDS);
    List<ManagedChannel> silent = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      silent.add(open(server, SILENT_MESSAGES));
    }
    Thread.sleep(1_000);
    assertThat(openOnes(silent)).as("open while there is room").isEqualTo(3);
    for (int i = 0; i < 2; i++) {
      silent.add(open(server, SILENT_MESSAGES));
    }
    for (int i = 0; i < ROUNDS_MAX && openOnes(silent) > 3; i++) {
      Thread.sleep(100);
    }
    Thread.sleep(1_000);
    assertThat(openOnes(silent)).as("open of those that are not asked").isEqualTo(3);
    assertThat(openOnes(List.of(asked))).as("the one that is asked").isEqualTo(1);
    often.shutdownNow();
  }

  /// While there is somebody who leaves much.
  @Test
  void closesNobodyWhoLeavesLittle() throws Exception {
    AtomicReference<ManagedChannel> much = new AtomicReference<>();
    Server server =
        start(
            new BoundedTransport(
                100,
                BYTES_MAX,
                _ -> much.get() != null && openOnes(List.of(much.get())) > 0 ? 2L * BYTES_MAX : 0,
                () -> {}));
    ManagedChannel little = open(server, 1, 1_000);
    much.set(open(server, SILENT_MESSAGES));
    for (int i = 0; i < ROUNDS_MAX && openOnes(List.of(much.get())) > 0; i++) {
      Thread.sleep(100);
    }
    assertThat(openOnes(List.of(much.get()))).as("the one that leaves much").isZero();
    Thread.sleep(1_000);
    assertThat(openOnes(List.of(little))).as("the one that leaves little").isEqualTo(1);
  }

  /// Few bytes may make much memory stay, that of the buffers they came in.
  @Test
  void closesWhoMakesMuchStayWithFewBytes() throws Exception {
    AtomicLong kept = new AtomicLong();
    Server server = start(new BoundedTransport(100, BYTES_MAX, _ -> kept.get(), () -> {}));
    ManagedChannel few = open(server, 2, 1_000);
    Thread.sleep(2_000);
    kept.set(2L * BYTES_MAX);
    for (int i = 0; i < ROUNDS_MAX && openOnes(List.of(few)) > 0; i++) {
      Thread.sleep(100);
    }
    assertThat(openOnes(List.of(few))).isZero();
  }

  @Test
  void aPieceCostsMoreThanItsByteUntilThereAreAThousand() {
    InboundStreams.Pieces large = new InboundStreams.Pieces();
    InboundStreams.Pieces small = new InboundStreams.Pieces();
    for (int i = 0; i < WINDOW_BYTES; i++) {
      small.arrived(1);
      large.arrived(MESSAGE_BYTES);
    }
    assertThat(large.heldBytes(WINDOW_BYTES)).isLessThan(WINDOW_BYTES + WINDOW_BYTES / 100);
    assertThat(small.heldBytes(100)).isGreaterThan(100 * 100);
    assertThat(small.heldBytes(WINDOW_BYTES))
        .isGreaterThan(WINDOW_BYTES + 100_000)
        .isLessThan(WINDOW_BYTES + 200_000);
    for (int i = 0; i < 4 * WINDOW_BYTES; i++) {
      large.arrived(1);
    }
    assertThat(large.heldBytes(100))
        .as("large ones before do not hide small ones now")
        .isGreaterThan(50 * 100);
    assertThat(small.heldBytes(0)).isZero();
  }

  /// Many answers to whom reads none: they wait before they have left.
  @Test
  void whatNothingLeavesOfForASecondIsSlow() {
    EmbeddedChannel channel = new EmbeddedChannel();
    Connection connection =
        new Connection(InetSocketAddress.createUnresolved("client", 1), channel, () -> {});
    ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
    add(channel, pending);
    add(channel, pending);
    for (int i = 0; i < 2 * LOOKS; i++) {
      connection.measure();
      assertThat(connection.kept().leavingBytes()).isGreaterThanOrEqualTo(WINDOW_BYTES);
      assertThat(connection.kept().slowBytes()).as("some leaves at each look").isZero();
      pending.progress(1);
    }
    connection.measure();
    for (int i = 0; i < LOOKS; i++) {
      add(channel, pending);
      connection.measure();
    }
    assertThat(connection.kept().slowBytes()).isEqualTo(connection.kept().leavingBytes());
    pending.remove();
    connection.measure();
    assertThat(connection.kept().slowBytes()).as("when some has left").isZero();
    while (!pending.isEmpty()) {
      pending.remove();
    }
    connection.measure();
    assertThat(connection.kept().bytes()).isZero();
  }

  private static void add(EmbeddedChannel channel, ChannelOutboundBuffer pending) {
    pending.addMessage(
        Unpooled.wrappedBuffer(new byte[WINDOW_BYTES]), WINDOW_BYTES, channel.newPromise());
    pending.addFlush();
  }

  @Test
  void aStreamIsSlowThatWouldTakeMoreThanTenSeconds() {
    InboundStreams.Pace pace = new InboundStreams.Pace();
    pace.look(WINDOW_BYTES);
    assertThat(pace.isSlow()).as("it has just begun").isFalse();
    for (int i = 1; i < LOOKS; i++) {
      pace.look(WINDOW_BYTES);
    }
    assertThat(pace.isSlow()).as("nothing was asked for").isTrue();
    pace.look(WINDOW_BYTES / 4);
    assertThat(pace.isSlow()).as("most was asked for just now").isFalse();
    for (int i = 0; i < 10 * 20; i++) {
      pace.look(WINDOW_BYTES);
    }
    assertThat(pace.isSlow()).as("most was asked for twenty seconds ago").isTrue();
    pace.look(0);
    assertThat(pace.isSlow()).as("there is nothing left").isFalse();
  }
}
