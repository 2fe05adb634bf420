package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.GetJournalsRequest;
import io.tallystick.api.v1.GetJournalsResponse;
import io.tallystick.api.v1.GetServiceDescriptionRequest;
import io.tallystick.api.v1.JournalAnswer;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.SignedRequest;
import io.tallystick.model.RejectionCode;
import io.tallystick.node.NodeHealth;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: what a client can make the gRPC front hold has static limits, and others are served
/// meanwhile. Method: small limits, and clients that write HTTP/2 frame by frame.
@Timeout(600)
class LimitsTest {
  private static final String APPEND = "tallystick.v1.JournalService/Append";
  private static final String GET_JOURNALS = "tallystick.v1.JournalService/GetJournals";
  private static final int CONNECTIONS_MAX = 4;
  private static final int CALLS_MAX = 16;
  private static final int PINNED_BYTES_MAX = 8 << 20;
  private static final int WINDOW_BYTES = 1 << 20;
  private static final int PART_BYTES = 900_000;
  private static final int ANSWER_BYTES = 1 << 20;
  private static final int CLOSED_MILLIS_MAX = (int) Waiting.MAX.toMillis();

  /// So long a connection is watched that must stay open.
  private static final int OPEN_MILLIS = 300;

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final AtomicInteger refused = new AtomicInteger();

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : opened.reversed()) {
      one.close();
    }
  }

  /// Asks for nothing on a stream of appends; answers much to who asks for journals.
  private static final class Service extends JournalServiceGrpc.JournalServiceImplBase {
    @Override
    public StreamObserver<AppendRequest> append(StreamObserver<AppendResponse> responses) {
      ((ServerCallStreamObserver<AppendResponse>) responses).disableAutoRequest();
      return new StreamObserver<>() {
        @Override
        public void onNext(AppendRequest request) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
      };
    }

    @Override
    public void getJournals(
        GetJournalsRequest request, StreamObserver<GetJournalsResponse> response) {
      response.onNext(
          GetJournalsResponse.newBuilder()
              .addAnswers(
                  JournalAnswer.newBuilder()
                      .setProblem(Problem.newBuilder().setDetail("x".repeat(ANSWER_BYTES))))
              .build());
      response.onCompleted();
    }
  }

  private Server start() throws IOException {
    CallsUnderWay calls =
        new CallsUnderWay(
            CALLS_MAX, CALLS_MAX, new Calls(new ProxyMetrics(new SimpleMeterRegistry())));
    Connections connections =
        new Connections(
            CONNECTIONS_MAX, PINNED_BYTES_MAX, calls::heldBytes, refused::incrementAndGet);
    opened.add(connections);
    Health health = new Health(() -> new NodeHealth(true, true, ""), new OpenCalls());
    opened.add(health);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    connections.configure(builder);
    Server server =
        builder
            .flowControlWindow(WINDOW_BYTES)
            .addStreamTracerFactory(calls)
            .intercept(calls)
            .addService(new Service())
            .addService(health.service())
            .build()
            .start();
    opened.add(server::shutdownNow);
    return server;
  }

  private RawHttp2 raw(int port, int windowBytes) throws IOException {
    RawHttp2 connection = new RawHttp2(port, windowBytes);
    opened.add(connection);
    return connection;
  }

  private ManagedChannel channel(int port) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    opened.add(channel::shutdownNow);
    return channel;
  }

  private static ServingStatus check(ManagedChannel channel) {
    return HealthGrpc.newBlockingStub(channel)
        .withDeadlineAfter(Waiting.MAX.toSeconds(), TimeUnit.SECONDS)
        .check(HealthCheckRequest.getDefaultInstance())
        .getStatus();
  }

  /// What makes the service hold much.
  enum Held {
    UNASKED {
      @Override
      void once(RawHttp2 connection) throws IOException {
        connection.sendPart(APPEND, PART_BYTES, PART_BYTES);
      }
    },
    HALF_SENT {
      @Override
      void once(RawHttp2 connection) throws IOException {
        connection.sendPart(GET_JOURNALS, PART_BYTES, PART_BYTES - 1);
      }
    },
    UNREAD {
      @Override
      void once(RawHttp2 connection) throws IOException {
        connection.ask(GET_JOURNALS);
      }
    };

    abstract void once(RawHttp2 connection) throws IOException;
  }

  @ParameterizedTest
  @EnumSource(Held.class)
  void theConnectionThatHoldsMostIsClosedAndOthersGoOn(Held held) throws Exception {
    int port = start().getPort();
    ManagedChannel other = channel(port);
    assertThat(check(other)).isEqualTo(ServingStatus.SERVING);
    RawHttp2 less = raw(port, 0).settle();
    held.once(less);
    RawHttp2 most = raw(port, 0).settle();
    for (int i = 0; i < 2; i++) {
      held.once(most);
    }
    assertThat(most.closesWithin(OPEN_MILLIS)).as("while there is room").isFalse();
    assertThat(isClosed(most, held)).as("beyond the bound").isTrue();
    assertThat(less.closesWithin(OPEN_MILLIS)).as("the one that holds less").isFalse();
    assertThat(check(other)).isEqualTo(ServingStatus.SERVING);
  }

  private static boolean isClosed(RawHttp2 connection, Held held) throws IOException {
    try {
      for (int i = 0; i < 10; i++) {
        held.once(connection);
      }
    } catch (IOException closed) {
      return true;
    }
    return connection.closesWithin(CLOSED_MILLIS_MAX);
  }

  @Test
  void aConnectionBeyondTheLimitIsClosedAtOnceUntilOneEnds() throws Exception {
    int port = start().getPort();
    List<RawHttp2> open = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS_MAX; i++) {
      open.add(raw(port, WINDOW_BYTES));
      assertThat(open.getLast().closesWithin(200)).isFalse();
    }
    try (Socket further = new Socket(InetAddress.getLoopbackAddress(), port)) {
      further.setSoTimeout(CLOSED_MILLIS_MAX);
      assertThat(further.getInputStream().read()).isNegative();
    }
    Waiting.until("it is counted", () -> refused.get() > 0);
    assertThat(refused).hasValue(1);
    open.getFirst().close();
    ManagedChannel next = channel(port);
    assertThat(
            HealthGrpc.newBlockingStub(next)
                .withWaitForReady()
                .withDeadlineAfter(Waiting.MAX.toSeconds(), TimeUnit.SECONDS)
                .check(HealthCheckRequest.getDefaultInstance())
                .getStatus())
        .isEqualTo(ServingStatus.SERVING);
  }

  /// Also plain slowloris: their headers never end.
  @Test
  void connectionsWhoseHeadersDoNotEndKeepNobodyOut() throws Exception {
    int port = start().getPort();
    for (int i = 1; i < CONNECTIONS_MAX; i++) {
      raw(port, WINDOW_BYTES).beginHeaders(i);
    }
    assertThat(check(channel(port))).isEqualTo(ServingStatus.SERVING);
  }

  @Test
  void aCallBeyondTheLimitIsRefusedAndHealthIsAnswered() throws Exception {
    int port = start().getPort();
    RawHttp2 streams = raw(port, WINDOW_BYTES);
    for (int i = 0; i < CALLS_MAX; i++) {
      streams.sendPart(APPEND, 1, 1);
    }
    ManagedChannel other = channel(port);
    var journals =
        JournalServiceGrpc.newBlockingStub(other)
            .withDeadlineAfter(2 * Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
    Waiting.until(
        "the calls are under way",
        () -> {
          // The call that asks may have taken the place of one of them, which was refused then.
          streams.sendPart(APPEND, 1, 1);
          return isRefused(journals);
        });
    assertThat(problem(() -> journals.getJournals(GetJournalsRequest.getDefaultInstance())))
        .satisfies(problem -> {
          assertThat(problem.getCode()).isEqualTo(RejectionCode.RATE_LIMITED.wire());
          assertThat(problem.getLimit()).isEqualTo(CALLS_MAX);
        });
    assertThat(check(other)).isEqualTo(ServingStatus.SERVING);
    streams.close();
    Waiting.until("the others have ended", () -> !isRefused(journals));
  }

  private static boolean isRefused(JournalServiceGrpc.JournalServiceBlockingStub journals) {
    try {
      journals.getJournals(GetJournalsRequest.getDefaultInstance());
      return false;
    } catch (StatusRuntimeException e) {
      return true;
    }
  }

  private static Problem problem(ThrowingCallable call) {
    return TestFront.problem(catchThrowableOfType(StatusRuntimeException.class, call));
  }

  /// Those of the front itself: a message of 128 KiB that appends nothing, and 8 KiB of headers.
  @Test
  void oversizedMessagesAndHeadersEndTheirCallAndOthersGoOn() throws Exception {
    try (TestFront front = new TestFront(new MemoryNode())) {
      Problem problem =
          problem(() -> front.ledgers.createLedger(ofBytes(MessageLimits.REQUEST_BYTES_MAX)));
      assertThat(problem.getCode()).isEqualTo(RejectionCode.TOO_LARGE.wire());
      assertThat(problem.getLimit()).isEqualTo(MessageLimits.REQUEST_BYTES_MAX);
      Problem unpacked =
          problem(() ->
              front
                  .ledgers
                  .withCompression("gzip")
                  .createLedger(ofBytes(MessageLimits.REQUEST_BYTES_MAX)));
      assertThat(unpacked.getLimit()).isEqualTo(MessageLimits.REQUEST_BYTES_MAX);
      assertThatThrownBy(
              () -> front.ledgers.createLedger(ofBytes(MessageLimits.TRANSPORT_BYTES_MAX)))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              failure -> {
                assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
                assertThat(failure.getStatus().getDescription())
                    .as("the transport's own words")
                    .doesNotContain(RejectionCode.TOO_LARGE.wire());
              });
      Metadata large = new Metadata();
      large.put(Metadata.Key.of("x", Metadata.ASCII_STRING_MARSHALLER), "x".repeat(9 << 10));
      var described = GetServiceDescriptionRequest.getDefaultInstance();
      assertThatThrownBy(() ->
              front
                  .ledgers
                  .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(large))
                  .getServiceDescription(described))
          .isInstanceOf(StatusRuntimeException.class);
      assertThat(front.ledgers.getServiceDescription(described).getVersion()).isNotEmpty();
    }
  }

  @Test
  void aMessageOfTooManyValuesIsRefusedBeforeItIsMade() throws Exception {
    AppendRequest.Builder empty = AppendRequest.newBuilder();
    for (int i = 0; i <= MessageGuard.VALUES_MAX; i++) {
      empty.addRequests(SignedRequest.getDefaultInstance());
    }
    UnknownFieldSet one = UnknownFieldSet.newBuilder().build();
    UnknownFieldSet.Field.Builder many = UnknownFieldSet.Field.newBuilder();
    for (int i = 0; i <= MessageGuard.VALUES_MAX / 2; i++) {
      many.addGroup(one);
    }
    UnknownFieldSet groups =
        UnknownFieldSet.newBuilder()
            .addField(
                15,
                UnknownFieldSet.Field.newBuilder()
                    .addGroup(UnknownFieldSet.newBuilder().addField(1, many.build()).build())
                    .build())
            .build();
    try (TestFront front = new TestFront(new MemoryNode())) {
      for (AppendRequest each :
          List.of(
              empty.build(),
              AppendRequest.newBuilder().addMore(empty).build(),
              AppendRequest.newBuilder().setUnknownFields(groups).build())) {
        AppendClient client = AppendClient.open(front.channel);
        client.send(each);
        assertThat(client.problem().getDetail()).contains("160000 values");
      }
    }
  }

  private static CreateLedgerRequest ofBytes(int bytes) {
    return CreateLedgerRequest.newBuilder()
        .setAttestation(ByteString.copyFrom(new byte[bytes]))
        .build();
  }
}
