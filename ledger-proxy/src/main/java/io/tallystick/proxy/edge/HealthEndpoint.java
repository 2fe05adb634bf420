package io.tallystick.proxy.edge;

import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.node.NodeHealth;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// `grpc.health.v1`: what the node says at the moment of asking. The ledger service serves while
/// the node can be read; the journal service and the whole, while it also takes appends.
final class HealthEndpoint extends HealthGrpc.HealthImplBase implements AutoCloseable {
  private static final long WATCH_PERIOD_MS = 500;
  private static final int WATCHERS_MAX = 256;

  private final Supplier<NodeHealth> health;
  private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("health").daemon().factory());
  private volatile boolean draining;

  HealthEndpoint(Supplier<NodeHealth> health) {
    this.health = health;
    ScheduledFuture<?> _ =
        clock.scheduleWithFixedDelay(
            () -> watchers.forEach(Watcher::look),
            WATCH_PERIOD_MS,
            WATCH_PERIOD_MS,
            TimeUnit.MILLISECONDS);
  }

  @Override
  public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> response) {
    ServingStatus status = status(request.getService());
    if (status == ServingStatus.SERVICE_UNKNOWN) {
      response.onError(
          Status.NOT_FOUND
              .withDescription("unknown service " + request.getService())
              .asRuntimeException());
      return;
    }
    response.onNext(message(status));
    response.onCompleted();
  }

  @Override
  public void watch(HealthCheckRequest request, StreamObserver<HealthCheckResponse> response) {
    if (watchers.size() >= WATCHERS_MAX) {
      response.onError(
          Status.RESOURCE_EXHAUSTED
              .withDescription("more than " + WATCHERS_MAX + " watchers")
              .asRuntimeException());
      return;
    }
    Watcher watcher =
        new Watcher(request.getService(), (ServerCallStreamObserver<HealthCheckResponse>) response);
    watcher.response.setOnCancelHandler(() -> watchers.remove(watcher));
    watcher.look();
    watchers.add(watcher);
  }

  private ServingStatus status(String service) {
    NodeHealth now = health.get();
    return switch (service) {
      case "", JournalServiceGrpc.SERVICE_NAME ->
          serving(!draining && now.readable() && now.appendable());
      case LedgerServiceGrpc.SERVICE_NAME -> serving(!draining && now.readable());
      default -> ServingStatus.SERVICE_UNKNOWN;
    };
  }

  private static ServingStatus serving(boolean serves) {
    return serves ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  private static HealthCheckResponse message(ServingStatus status) {
    return HealthCheckResponse.newBuilder().setStatus(status).build();
  }

  /// Says `NOT_SERVING` from now on and ends the watches.
  void drain() {
    draining = true;
    watchers.forEach(Watcher::end);
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }

  private final class Watcher {
    private final String service;
    private final ServerCallStreamObserver<HealthCheckResponse> response;
    private ServingStatus told = ServingStatus.UNKNOWN;

    Watcher(String service, ServerCallStreamObserver<HealthCheckResponse> response) {
      this.service = service;
      this.response = response;
    }

    synchronized void look() {
      ServingStatus now = status(service);
      if (now != told && !response.isCancelled()) {
        told = now;
        response.onNext(message(now));
      }
    }

    synchronized void end() {
      look();
      if (watchers.remove(this) && !response.isCancelled()) {
        response.onCompleted();
      }
    }
  }
}
