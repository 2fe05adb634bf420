package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.proxy.execute.ProxyMetrics;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: so many calls are under way and no more, and one that has ended makes room, however it
/// ended; a call that waits for its client makes room, and one whose end nobody takes. Method:
/// calls that wait, over two connections.
@Timeout(60)
@SuppressWarnings("NullAway.Init") // each test starts its server itself
class CallLimitTest {
  private static final int CALLS_MAX = 6;
  private static final int HEALTH_CALLS_MAX = 2;
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration SHORT = Duration.ofMillis(500);

  /// Of a call that sends one message gRPC's client sends nothing before its end; of a stream it
  /// does.
  private static final MethodDescriptor<HealthCheckRequest, HealthCheckResponse> CHECK =
      HealthGrpc.getCheckMethod().toBuilder().setType(MethodType.BIDI_STREAMING).build();

  private final BlockingQueue<StreamObserver<AppendResponse>> waiting = new LinkedBlockingQueue<>();
  private final BlockingQueue<AppendRequest> heard = new LinkedBlockingQueue<>();
  private final BlockingQueue<Throwable> failed = new LinkedBlockingQueue<>();
  private final List<SocketAddress> closed = new CopyOnWriteArrayList<>();
  private Server server;
  private boolean asks = true;
  private ManagedChannel one;
  private ManagedChannel other;

  private final class Waiting extends JournalServiceGrpc.JournalServiceImplBase {
    @Override
    public StreamObserver<AppendRequest> append(StreamObserver<AppendResponse> response) {
      var call = (ServerCallStreamObserver<AppendResponse>) response;
      call.setOnCancelHandler(() -> {}); // what is said afterwards is no fault
      if (!asks) {
        call.disableAutoRequest();
      }
      waiting.add(response);
      return new StreamObserver<>() {
        @Override
        public void onNext(AppendRequest request) {
          heard.add(request);
        }

        @Override
        public void onError(Throwable failure) {
          failed.add(failure);
        }

        @Override
        public void onCompleted() {
          response.onCompleted();
        }
      };
    }
  }

  private static final class SilentHealth extends HealthGrpc.HealthImplBase {
    @Override
    public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> response) {
      response.onNext(HealthCheckResponse.getDefaultInstance());
      response.onCompleted();
    }

    @Override
    public void watch(HealthCheckRequest request, StreamObserver<HealthCheckResponse> response) {}
  }

  /// How it ended, if it did within a second.
  private static Optional<Status.Code> watch(ManagedChannel channel) throws Exception {
    CompletableFuture<Status.Code> end = new CompletableFuture<>();
    HealthGrpc.newStub(channel)
        .watch(
            HealthCheckRequest.getDefaultInstance(),
            new StreamObserver<>() {
              @Override
              public void onNext(HealthCheckResponse response) {}

              @Override
              public void onError(Throwable failure) {
                end.complete(Status.fromThrowable(failure).getCode());
              }

              @Override
              public void onCompleted() {
                end.complete(Status.Code.OK);
              }
            });
    try {
      return Optional.of(end.get(1, TimeUnit.SECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    }
  }

  private ManagedChannel connect() {
    return NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
  }

  /// A call whose handler runs and has had a message.
  private AppendClient open(ManagedChannel channel) throws InterruptedException {
    AppendClient client = AppendClient.open(channel);
    assertThat(waiting.poll(20, TimeUnit.SECONDS)).isNotNull();
    client.send(AppendRequest.getDefaultInstance());
    assertThat(heard.poll(20, TimeUnit.SECONDS)).isNotNull();
    return client;
  }

  private void start(Duration silentMax, Duration idleMax) throws Exception {
    Calls calls = new Calls(new ProxyMetrics(new SimpleMeterRegistry()));
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Waiting())
            .addService(new SilentHealth())
            .addStreamTracerFactory(new CallTracer(calls.metrics()))
            .intercept(
                new CallLimit(
                    new CallLimit.Bounds(CALLS_MAX, silentMax, idleMax),
                    new CallLimit.Bounds(HEALTH_CALLS_MAX, silentMax, idleMax),
                    calls,
                    closed::add))
            .build()
            .start();
    one = connect();
    other = connect();
    for (ManagedChannel channel : List.of(one, other)) { // so that neither takes its time later
      HealthGrpc.newBlockingStub(channel).check(HealthCheckRequest.getDefaultInstance());
    }
  }

  @AfterEach
  void stop() throws InterruptedException {
    one.shutdownNow();
    other.shutdownNow();
    server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
  }

  @Test
  void refusesOneMoreUntilAnotherHasEnded() throws Exception {
    start(NEVER, NEVER);
    AppendClient completed = open(one);
    AppendClient cancelled = open(one);
    for (int i = 2; i < CALLS_MAX; i++) {
      open(i % 2 == 0 ? one : other);
    }
    for (int i = 0; i < 3; i++) {
      assertThat(AppendClient.open(other).problem().getCode()).isEqualTo("rate_limited");
    }
    for (int i = 0; i < HEALTH_CALLS_MAX; i++) {
      assertThat(watch(one)).as("the end of a watch that waits").isEmpty();
    }
    assertThat(watch(other)).contains(Status.Code.RESOURCE_EXHAUSTED);
    completed.requests().onCompleted();
    completed.awaitEnd();
    open(other);
    assertThat(AppendClient.open(other).problem().getCode()).isEqualTo("rate_limited");
    cancelled.requests().cancel("enough", null);
    for (int i = 0; i < 100 && waiting.isEmpty(); i++) {
      AppendClient.open(other);
      Thread.sleep(100);
    }
    assertThat(waiting).as("a call in the place of the cancelled one").hasSize(1);
  }

  /// A check that was begun.
  private static final class Begun extends ClientCall.Listener<HealthCheckResponse> {
    private final ClientCall<HealthCheckRequest, HealthCheckResponse> call;
    private final BlockingQueue<Begun> ended;
    private volatile Status end = Status.UNKNOWN;

    Begun(ManagedChannel channel, BlockingQueue<Begun> ended) {
      this.call = channel.newCall(CHECK, CallOptions.DEFAULT);
      this.ended = ended;
      call.start(this, new Metadata());
      call.request(1);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      end = status;
      ended.add(this);
    }
  }

  private void check() {
    HealthGrpc.newBlockingStub(other).check(HealthCheckRequest.getDefaultInstance());
  }

  /// A request is there when its end is: a message without one keeps no place for long either.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCallWithoutItsRequestMakesRoom(boolean message) throws Exception {
    start(message ? NEVER : SHORT, message ? SHORT : NEVER);
    BlockingQueue<Begun> ended = new LinkedBlockingQueue<>();
    List<Begun> silent = new ArrayList<>();
    for (int i = 0; i < HEALTH_CALLS_MAX; i++) {
      silent.add(new Begun(one, ended));
      if (message) {
        silent.getLast().call.sendMessage(HealthCheckRequest.getDefaultInstance());
      }
    }
    Thread.sleep(2 * SHORT.toMillis());
    check();
    Begun displaced = Objects.requireNonNull(ended.poll(20, TimeUnit.SECONDS));
    assertThat(displaced.end.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(displaced.end.getDescription()).contains("this one has waited longest");
    check();
    assertThat(ended).as("ended though there was room").isEmpty();
    silent.remove(displaced);
    Begun left = silent.getFirst();
    if (!message) {
      left.call.sendMessage(HealthCheckRequest.getDefaultInstance());
    }
    left.call.halfClose();
    assertThat(ended.poll(20, TimeUnit.SECONDS)).isSameAs(left);
    assertThat(left.end).isEqualTo(Status.OK);
  }

  @Test
  void aStreamWithoutAMessageMakesRoomAndItsHandlerHearsOfIt() throws Exception {
    start(SHORT, NEVER);
    AppendClient spoken = open(one);
    List<AppendClient> silent = new ArrayList<>();
    for (int i = 1; i < CALLS_MAX; i++) {
      silent.add(AppendClient.open(one));
      assertThat(waiting.poll(20, TimeUnit.SECONDS)).isNotNull();
    }
    Thread.sleep(2 * SHORT.toMillis());
    for (AppendClient displaced : silent) {
      open(other);
      assertThat(displaced.problem().getCode()).isEqualTo("rate_limited");
      assertThat(failed.poll(20, TimeUnit.SECONDS)).isNotNull();
    }
    assertThat(AppendClient.open(other).problem().getCode())
        .as("when all have spoken")
        .isEqualTo("rate_limited");
    assertThat(spoken.end.isDone()).isFalse();
  }

  @Test
  void aStreamIsNotSilentBeforeItIsAskedOrWhileThereIsTime() throws Exception {
    start(NEVER, NEVER);
    for (int i = 0; i < CALLS_MAX; i++) {
      AppendClient.open(one);
      assertThat(waiting.poll(20, TimeUnit.SECONDS)).isNotNull();
    }
    assertThat(AppendClient.open(other).problem().getCode())
        .as("when none has waited for long")
        .isEqualTo("rate_limited");
    stop();
    asks = false;
    start(Duration.ZERO, NEVER);
    for (int i = 0; i < CALLS_MAX; i++) {
      AppendClient.open(one);
      assertThat(waiting.poll(20, TimeUnit.SECONDS)).isNotNull();
    }
    assertThat(AppendClient.open(other).problem().getCode())
        .as("when none has been asked")
        .isEqualTo("rate_limited");
  }

  @Test
  void aStreamThatHasLongSaidNothingMakesRoomAndOneThatSpeaksDoesNot() throws Exception {
    start(NEVER, SHORT);
    List<AppendClient> streams = new ArrayList<>();
    for (int i = 0; i < CALLS_MAX; i++) {
      streams.add(open(one));
    }
    Thread.sleep(2 * SHORT.toMillis());
    AppendClient speaks = streams.removeFirst();
    speaks.send(AppendRequest.getDefaultInstance());
    assertThat(heard.poll(20, TimeUnit.SECONDS)).isNotNull();
    AppendClient next = open(other);
    AppendClient displaced = streams.removeFirst();
    assertThat(displaced.problem().getCode()).isEqualTo("rate_limited");
    assertThat(failed.poll(20, TimeUnit.SECONDS)).isNotNull();
    for (AppendClient kept : List.of(speaks, next, streams.getFirst(), streams.getLast())) {
      assertThat(kept.end.isDone()).isFalse();
    }
  }

  /// Its handler may answer at that moment, from a thread of its own.
  @Test
  void whatAHandlerSaysToADisplacedCallIsLost() throws Exception {
    start(NEVER, Duration.ZERO);
    AppendClient first = AppendClient.open(one);
    StreamObserver<AppendResponse> answering =
        Objects.requireNonNull(waiting.poll(20, TimeUnit.SECONDS));
    first.send(AppendRequest.getDefaultInstance());
    assertThat(heard.poll(20, TimeUnit.SECONDS)).isNotNull();
    for (int i = 0; i < CALLS_MAX; i++) {
      open(other);
    }
    assertThat(first.problem().getCode()).isEqualTo("rate_limited");
    answering.onNext(AppendResponse.getDefaultInstance());
    answering.onCompleted();
    assertThat(AppendClient.open(one)).isNotNull();
  }

  /// Asks for a check and for no answer.
  private static void ask(ManagedChannel channel) {
    ClientCall<HealthCheckRequest, HealthCheckResponse> call =
        channel.newCall(HealthGrpc.getCheckMethod(), CallOptions.DEFAULT);
    call.start(new ClientCall.Listener<>() {}, new Metadata());
    call.sendMessage(HealthCheckRequest.getDefaultInstance());
    call.halfClose();
  }

  /// With a window of no bytes an answer, and the end behind it, never leaves.
  @Test
  void whoDoesNotTakeTheEndsOfCallsLosesTheConnection() throws Exception {
    start(NEVER, NEVER);
    ManagedChannel deaf =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
            .flowControlWindow(1)
            .usePlaintext()
            .build();
    try {
      for (int i = 0; i < HEALTH_CALLS_MAX; i++) {
        ask(deaf);
      }
      check();
      assertThat(closed).isEmpty();
      for (int i = 0; i < 100 && closed.isEmpty(); i++) {
        ask(deaf);
        Thread.sleep(100);
      }
      assertThat(closed).isNotEmpty();
      check();
    } finally {
      deaf.shutdownNow();
    }
  }
}
