package io.tallystick.proxy.edge;

import com.google.protobuf.MessageLite;
import io.grpc.Attributes;
import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.KnownLength;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.execute.ProxyMetrics;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends a call whose message cannot be read, because it is too long or no message of that call,
/// with a problem and a count like any other refusal. gRPC by itself would end it with a bare
/// status.
final class WireGuard {
  /// What the transport lets through, so that something is left to answer; beyond, it ends the call
  /// itself without reading, and there is no problem.
  static final int TRANSPORT_BYTES_MAX = 8 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(WireGuard.class);

  /// Who ended a call: if not its handler, then the transport.
  private static final Context.Key<AtomicBoolean> ENDED_HERE = Context.key("ended-here");

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
        plain.toBuilder(new Reading<>(plain), plain.getResponseMarshaller()).build(),
        (call, headers) -> {
          GuardedCall<Q, R> guarded = new GuardedCall<>(call, plain, ENDED_HERE.get());
          ServerCall.Listener<Q> listener =
              method.getServerCallHandler().startCall(guarded, headers);
          return new GuardedListener<>(guarded, listener, calls);
        });
  }

  /// What arrived: a message, or why there is none.
  private record Message<Q>(@Nullable Q value, @Nullable RequestRejectedException refusal) {}

  /// @param method whose request is read
  private record Reading<Q, R>(MethodDescriptor<Q, R> method)
      implements MethodDescriptor.Marshaller<Message<Q>> {
    @Override
    public Message<Q> parse(InputStream stream) {
      try {
        if (stream.available() > Edge.MESSAGE_BYTES_MAX) {
          return new Message<>(null, tooLarge());
        }
        Q value = method.parseRequest(stream);
        // How long a compressed message is shows only now.
        boolean tooLong =
            !(stream instanceof KnownLength)
                && value instanceof MessageLite message
                && message.getSerializedSize() > Edge.MESSAGE_BYTES_MAX;
        return tooLong ? new Message<>(null, tooLarge()) : new Message<>(value, null);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (StatusRuntimeException e) {
        // So does gRPC say that a compressed one is above what the transport lets through.
        boolean tooLong = e.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED;
        return new Message<>(null, tooLong ? tooLarge() : malformed(e));
      }
    }

    private RequestRejectedException malformed(StatusRuntimeException cause) {
      return new RequestRejectedException(
          RejectionCode.MALFORMED,
          "the bytes received are no message of " + method.getFullMethodName(),
          cause);
    }

    private static RequestRejectedException tooLarge() {
      return new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              "message of more than %d bytes".formatted(Edge.MESSAGE_BYTES_MAX))
          .withLimit(Edge.MESSAGE_BYTES_MAX);
    }

    @Override
    public InputStream stream(Message<Q> message) {
      throw new IllegalStateException("a server sends no requests");
    }
  }

  private static final class GuardedListener<Q, R> extends ServerCall.Listener<Message<Q>> {
    private final GuardedCall<Q, R> call;
    private final ServerCall.Listener<Q> listener;
    private final Calls calls;
    private boolean refused;

    GuardedListener(GuardedCall<Q, R> call, ServerCall.Listener<Q> listener, Calls calls) {
      this.call = call;
      this.listener = listener;
      this.calls = calls;
    }

    @Override
    public void onMessage(Message<Q> message) {
      Q value = message.value();
      if (value != null) {
        listener.onMessage(value);
      } else if (message.refusal() != null && !refused) {
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
    private final @Nullable AtomicBoolean endedHere;
    private boolean ended;

    /// @param endedHere null on a server that does not count
    GuardedCall(
        ServerCall<Message<Q>, R> call,
        MethodDescriptor<Q, R> method,
        @Nullable AtomicBoolean endedHere) {
      this.call = call;
      this.method = method;
      this.endedHere = endedHere;
    }

    synchronized void end(Status status, Metadata trailers) {
      if (!ended) {
        ended = true;
        if (endedHere != null) {
          endedHere.set(true);
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

  /// Times each call, and counts what the transport refuses itself: a call that ran out of what the
  /// transport lends, and that no handler has ended, had a message above {@link
  /// #TRANSPORT_BYTES_MAX}.
  ServerStreamTracer.Factory counting() {
    return new ServerStreamTracer.Factory() {
      @Override
      public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        return new Counting(method, metrics);
      }
    };
  }

  private static final class Counting extends ServerStreamTracer {
    /// The method is the client's words: it has not been looked up yet.
    private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9._/-]");

    private final AtomicBoolean endedHere = new AtomicBoolean();
    private final String method;
    private final ProxyMetrics metrics;

    private final long startedNanos = System.nanoTime();
    private volatile @Nullable String known;

    Counting(String method, ProxyMetrics metrics) {
      this.method = method;
      this.metrics = metrics;
    }

    private String printable() {
      return UNSAFE.matcher(method).replaceAll("?");
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> call) {
      known = call.getMethodDescriptor().getFullMethodName();
    }

    @Override
    public Context filterContext(Context context) {
      return context.withValue(ENDED_HERE, endedHere);
    }

    @Override
    public void streamClosed(Status status) {
      String served = known;
      if (served != null) {
        metrics.called(served, System.nanoTime() - startedNanos);
      }
      if (endedHere.get()) {
        return;
      }
      switch (status.getCode()) {
        case RESOURCE_EXHAUSTED -> {
          metrics.refused(RejectionCode.TOO_LARGE);
          LOG.warn(
              "too_large: message of more than {} bytes to {}", TRANSPORT_BYTES_MAX, printable());
        }
        case INTERNAL ->
            LOG.warn("unreadable: {} was ended by the transport: {}", printable(), words(status));
        // What is thrown on the transport's own thread says no more than this to the client.
        case UNKNOWN -> LOG.error("{} failed unforeseen", printable(), status.getCause());
        default -> {}
      }
    }

    private static String words(Status status) {
      String description = Objects.requireNonNullElse(status.getDescription(), "");
      return description.lines().findFirst().orElse("");
    }
  }
}
