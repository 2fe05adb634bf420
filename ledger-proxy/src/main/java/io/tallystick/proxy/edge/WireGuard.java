package io.tallystick.proxy.edge;

import io.grpc.Attributes;
import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.proxy.edge.MessageReader.Message;
import io.tallystick.proxy.execute.ProxyMetrics;
import org.jspecify.annotations.Nullable;

/// Ends a call whose message cannot be read, because it is too long, has too many values or is no
/// message of that call, with a problem and a count like any other refusal. gRPC by itself would
/// end it with a bare status.
final class WireGuard {
  /// What the transport lets through, so that something is left to answer; beyond, it ends the call
  /// itself without reading, and there is no problem.
  static final int TRANSPORT_BYTES_MAX = 8 << 20;

  private final Calls calls;
  private final ProxyMetrics metrics;

  WireGuard(Calls calls, ProxyMetrics metrics) {
    this.calls = calls;
    this.metrics = metrics;
  }

  /// The same service, its messages read here.
  BindableService guard(BindableService service) {
    return () -> guard(service.bindService());
  }

  private ServerServiceDefinition guard(ServerServiceDefinition service) {
    ServiceDescriptor plain = service.getServiceDescriptor();
    ServiceDescriptor.Builder descriptor =
        ServiceDescriptor.newBuilder(plain.getName())
            .setSchemaDescriptor(plain.getSchemaDescriptor());
    var methods = service.getMethods().stream().map(this::guard).toList();
    methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    ServerServiceDefinition.Builder guarded = ServerServiceDefinition.builder(descriptor.build());
    methods.forEach(guarded::addMethod);
    return guarded.build();
  }

  private <Q, R> ServerMethodDefinition<Message<Q>, R> guard(ServerMethodDefinition<Q, R> method) {
    MethodDescriptor<Q, R> plain = method.getMethodDescriptor();
    metrics.serves(plain.getFullMethodName());
    return ServerMethodDefinition.create(
        plain.toBuilder(MessageReader.of(plain), plain.getResponseMarshaller()).build(),
        (call, headers) -> {
          GuardedCall<Q, R> guarded = new GuardedCall<>(call, plain, CallTracer.current());
          ServerCall.Listener<Q> listener =
              method.getServerCallHandler().startCall(guarded, headers);
          return new GuardedListener<>(guarded, listener, calls, Arriving.current());
        });
  }

  private static final class GuardedListener<Q, R> extends ServerCall.Listener<Message<Q>> {
    private final GuardedCall<Q, R> call;
    private final ServerCall.Listener<Q> listener;
    private final Calls calls;
    private final Arriving.@Nullable Call arriving;
    private boolean refused;

    GuardedListener(
        GuardedCall<Q, R> call,
        ServerCall.Listener<Q> listener,
        Calls calls,
        Arriving.@Nullable Call arriving) {
      this.arriving = arriving;
      this.call = call;
      this.listener = listener;
      this.calls = calls;
    }

    @Override
    public void onMessage(Message<Q> message) {
      if (arriving != null) {
        arriving.handled();
      }
      if (refused) {
        return; // whatever comes behind what was refused
      }
      Q value = message.value();
      if (value != null) {
        listener.onMessage(value);
      } else if (message.refusal() != null) {
        refused = true;
        StatusRuntimeException end = calls.status(message.refusal());
        Metadata trailers = end.getTrailers();
        call.end(end.getStatus(), trailers == null ? new Metadata() : trailers);
        listener.onCancel();
      }
    }

    @Override
    public void onHalfClose() {
      if (!refused) {
        listener.onHalfClose();
      }
    }

    @Override
    public void onCancel() {
      if (!refused) {
        listener.onCancel();
      }
    }

    @Override
    public void onComplete() {
      if (!refused) {
        listener.onComplete();
      }
    }

    @Override
    public void onReady() {
      if (!refused) {
        listener.onReady();
      }
    }
  }

  /// The call as its handler sees it. Once it was ended here, what the handler still says is lost:
  /// it may speak from a thread of its own at that moment.
  private static final class GuardedCall<Q, R> extends ServerCall<Q, R> {
    private final ServerCall<Message<Q>, R> call;
    private final MethodDescriptor<Q, R> method;
    private final CallTracer.@Nullable Trace trace;
    private boolean ended;

    /// @param trace null on a server that does not trace
    GuardedCall(
        ServerCall<Message<Q>, R> call,
        MethodDescriptor<Q, R> method,
        CallTracer.@Nullable Trace trace) {
      this.call = call;
      this.method = method;
      this.trace = trace;
    }

    synchronized void end(Status status, Metadata trailers) {
      if (!ended) {
        ended = true;
        if (trace != null) {
          trace.endedHere();
        }
        call.close(status, trailers);
      }
    }

    @Override
    public void request(int messages) {
      call.request(messages);
    }

    @Override
    public synchronized void sendHeaders(Metadata headers) {
      if (!ended) {
        call.sendHeaders(headers);
      }
    }

    @Override
    public synchronized void sendMessage(R message) {
      if (!ended) {
        call.sendMessage(message);
      }
    }

    @Override
    public void close(Status status, Metadata trailers) {
      end(status, trailers);
    }

    @Override
    public boolean isReady() {
      return call.isReady();
    }

    @Override
    public boolean isCancelled() {
      return call.isCancelled();
    }

    @Override
    public void setMessageCompression(boolean enabled) {
      call.setMessageCompression(enabled);
    }

    @Override
    public void setCompression(String compressor) {
      call.setCompression(compressor);
    }

    @Override
    public void setOnReadyThreshold(int bytes) {
      call.setOnReadyThreshold(bytes);
    }

    @Override
    public Attributes getAttributes() {
      return call.getAttributes();
    }

    @Override
    public @Nullable String getAuthority() {
      return call.getAuthority();
    }

    @Override
    public MethodDescriptor<Q, R> getMethodDescriptor() {
      return method;
    }
  }
}
