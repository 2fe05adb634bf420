package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.proxy.execute.ProxyMetrics;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: so many calls are under way and no more, and one that has ended makes room, however it
/// ended. Method: streams that wait, over two connections.
@Timeout(60)
class CallLimitTest {
  private static final int CALLS_MAX = 6;
  private static final int HEALTH_CALLS_MAX = 2;

  private final BlockingQueue<StreamObserver<AppendResponse>> waiting = new LinkedBlockingQueue<>();

  private final class Waiting extends JournalServiceGrpc.JournalServiceImplBase {
    @Override
    public StreamObserver<AppendRequest> append(StreamObserver<AppendResponse> response) {
      waiting.add(response);
      return new StreamObserver<>() {
        @Override
        public void onNext(AppendRequest request) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {
          response.onCompleted();
        }
      };
    }
  }

  private static final class SilentHealth extends HealthGrpc.HealthImplBase {
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

  private static ManagedChannel connect(Server server) {
    return NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
  }

  private AppendClient open(ManagedChannel channel) throws InterruptedException {
    AppendClient client = AppendClient.open(channel);
    assertThat(waiting.poll(20, TimeUnit.SECONDS)).isNotNull();
    return client;
  }

  @Test
  void refusesOneMoreUntilAnotherHasEnded() throws Exception {
    Calls calls = new Calls(new ProxyMetrics(new SimpleMeterRegistry()));
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Waiting())
            .addService(new SilentHealth())
            .intercept(new CallLimit(CALLS_MAX, HEALTH_CALLS_MAX, calls))
            .build()
            .start();
    ManagedChannel one = connect(server);
    ManagedChannel other = connect(server);
    try {
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
    } finally {
      one.shutdownNow();
      other.shutdownNow();
      server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }
  }
}
