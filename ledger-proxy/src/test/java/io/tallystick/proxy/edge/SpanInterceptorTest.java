package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
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
import io.tallystick.proxy.trace.Tracing;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: each call's span ends, whoever ends the call. Method: a collector that keeps what it is
/// sent; a call that is answered, and one that its client gives up.
@Timeout(60)
class SpanInterceptorTest {
  private final Queue<String> spans = new ConcurrentLinkedQueue<>();
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

  private HttpServer collector() throws Exception {
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext(
        "/v1/traces",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
          byte[] plain =
              packed ? new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes() : body;
          spans.add(new String(plain, StandardCharsets.ISO_8859_1));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    collector.start();
    return collector;
  }

  @Test
  void aSpanEndsWithItsCallAlsoWhenTheClientGivesUp() throws Exception {
    HttpServer collector = collector();
    String endpoint = "http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/traces";
    Tracing tracing = Tracing.exporting(endpoint, 1, "test");
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
      collector.stop(0);
    }
    assertThat(spans.stream().collect(Collectors.joining()))
        .contains("grpc.health.v1.Health/Check", "grpc.health.v1.Health/Watch");
  }
}
