package io.tallystick.proxy.edge;

import io.grpc.BindableService;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.node.NodeHealth;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// `grpc.health.v1` by gRPC's own service, told every so often what the node says. The ledger
/// service serves while the node can be read; the journal service and the whole, while it also
/// takes appends.
final class Health implements AutoCloseable {
  private static final long LOOK_MILLIS = 100;

  private final HealthStatusManager manager = new HealthStatusManager();
  private final Supplier<NodeHealth> node;
  private final OpenCalls openCalls;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("health").daemon().factory());

  /// @param openCalls takes the watches, which a shutdown must end
  Health(Supplier<NodeHealth> node, OpenCalls openCalls) {
    this.node = node;
    this.openCalls = openCalls;
    look();
    ScheduledFuture<?> _ =
        clock.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    NodeHealth now = healthNow();
    ServingStatus appends = serving(now.readable() && now.appendable());
    manager.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, appends);
    manager.setStatus(JournalServiceGrpc.SERVICE_NAME, appends);
    manager.setStatus(LedgerServiceGrpc.SERVICE_NAME, serving(now.readable()));
  }

  /// A task that fails would not be run again, and the last status would stay for ever.
  private NodeHealth healthNow() {
    try {
      return node.get();
    } catch (RuntimeException e) {
      return new NodeHealth(false, false, String.valueOf(e.getMessage()));
    }
  }

  private static ServingStatus serving(boolean serves) {
    return serves ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  BindableService service() {
    return () -> ServerInterceptors.intercept(manager.getHealthService(), new Watches());
  }

  /// Remembers the calls that have no end of their own.
  private final class Watches implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      ServerCall.Listener<Q> listener = next.startCall(call, headers);
      if (call.getMethodDescriptor().getType().serverSendsOneMessage()) {
        return listener;
      }
      OpenCalls.Call watch = () -> call.close(Status.OK, new Metadata());
      openCalls.add(watch);
      return new SimpleForwardingServerCallListener<>(listener) {
        @Override
        public void onComplete() {
          openCalls.remove(watch);
          super.onComplete();
        }

        @Override
        public void onCancel() {
          openCalls.remove(watch);
          super.onCancel();
        }
      };
    }
  }

  /// Says `NOT_SERVING` from now on.
  void drain() {
    manager.enterTerminalState();
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
