package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tallystick.proxy.trace.SpanCollector;
import io.tallystick.proxy.trace.Tracing;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: each call's span ends, whoever ends the call. Method: a collector that keeps what it is
/// sent; a call that is answered, and one that its client gives up.
@Timeout(300)
class SpanInterceptorTest {
  private final CountDownLatch watched = new CountDownLatch(1);
  private final CountDownLatch cancelled = new CountDownLatch(1);

  private final class Health extends HealthGrpc.HealthImplBase {
    @Override
    public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> response) {
      response.onNext(HealthCheckResponse.getDefaultInstance());
      response.onCompleted();
    }

    @Override
    public void watch(HealthCheckRequest request, StreamObserver<HealthCheckResponse> response) {
      var call = (ServerCallStreamObserver<HealthCheckResponse>) response;
      call.setOnCancelHandler(cancelled::countDown);
      watched.countDown();
    }
  }

  @Test
  void aSpanEndsWithItsCallAlsoWhenTheClientGivesUp() throws Exception {
    SpanCollector collector = new SpanCollector();
    Tracing tracing = Tracing.exporting(collector.endpoint(), 1, "test");
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Health())
            .intercept(new SpanInterceptor(tracing))
            .build()
            .start();
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
    try {
      HealthGrpc.newBlockingStub(channel).check(HealthCheckRequest.getDefaultInstance());
      try (Context.CancellableContext given = Context.current().withCancellation()) {
        given.run(() ->
            HealthGrpc.newBlockingStub(channel).watch(HealthCheckRequest.getDefaultInstance()));
        assertThat(watched.await(20, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(cancelled.await(20, TimeUnit.SECONDS)).isTrue();
    } finally {
      channel.shutdownNow();
      server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
      tracing.close();
      collector.close();
    }
    assertThat(collector.received())
        .contains("grpc.health.v1.Health/Check", "grpc.health.v1.Health/Watch");
  }
}
