package io.tallystick.proxy.edge;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.grpc.Attributes;
import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.KnownLength;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.execute.ProxyMetrics;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends a call whose message cannot be read, because it is too long, has too many values or is no
/// message of that call, with a problem and a count like any other refusal. gRPC by itself would
/// end it with a bare status.
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
        plain.toBuilder(Reading.of(plain), plain.getResponseMarshaller()).build(),
        (call, headers) -> {
          GuardedCall<Q, R> guarded = new GuardedCall<>(call, plain, ENDED_HERE.get());
          ServerCall.Listener<Q> listener =
              method.getServerCallHandler().startCall(guarded, headers);
          return new GuardedListener<>(guarded, listener, calls, Arriving.current());
        });
  }

  /// What arrived: a message, or why there is none.
  private record Message<Q>(@Nullable Q value, @Nullable RequestRejectedException refusal) {}

  /// @param name of the method whose request is read
  private record Reading<Q>(String name, Parser<Q> parser, ValueCount values)
      implements MethodDescriptor.Marshaller<Message<Q>> {
    /// What of one message's bytes is copied into, by each thread that reads; longer ones have
    /// their own.
    private static final int KEPT_BYTES = 1 << 20;

    private static final ThreadLocal<byte[]> KEPT =
        ThreadLocal.withInitial(() -> new byte[16 << 10]);

    /// @param method generated, as all are that are served here
    @SuppressWarnings("unchecked") // a prototype's parser makes what the prototype is
    static <Q, R> Reading<Q> of(MethodDescriptor<Q, R> method) {
      if (method.getRequestMarshaller() instanceof PrototypeMarshaller<Q> prototypes
          && prototypes.getMessagePrototype() instanceof com.google.protobuf.Message prototype) {
        return new Reading<>(
            method.getFullMethodName(),
            (Parser<Q>) prototype.getParserForType(),
            ValueCount.of(prototype.getDescriptorForType()));
      }
      throw new IllegalArgumentException(
          method.getFullMethodName() + " takes no generated message");
    }

    @Override
    public Message<Q> parse(InputStream stream) {
      try {
        return new Message<>(read(stream), null);
      } catch (RequestRejectedException refusal) {
        return new Message<>(null, refusal);
      } catch (InvalidProtocolBufferException e) {
        return new Message<>(null, malformed(e));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (StatusRuntimeException e) {
        // So does gRPC say that a compressed one is above what the transport lets through.
        boolean tooLong = e.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED;
        return new Message<>(null, tooLong ? tooLarge() : malformed(e));
      }
    }

    private Q read(InputStream stream) throws IOException, RequestRejectedException {
      if (!(stream instanceof KnownLength)) {
        // How long a compressed message is shows only when it has been read.
        byte[] bytes = stream.readNBytes(Edge.MESSAGE_BYTES_MAX + 1);
        return read(bytes, bytes.length);
      }
      int size = stream.available();
      if (size > Edge.MESSAGE_BYTES_MAX) {
        throw tooLarge();
      }
      byte[] bytes = room(size);
      return read(bytes, stream.readNBytes(bytes, 0, size));
    }

    private Q read(byte[] bytes, int size) throws IOException, RequestRejectedException {
      if (size > Edge.MESSAGE_BYTES_MAX) {
        throw tooLarge();
      }
      if (values.isExceededBy(bytes, size)) {
        throw tooMany();
      }
      Q value = parser.parseFrom(bytes, 0, size);
      if (value instanceof AppendRequest message) {
        PackedAnswers.checkMessage(message);
      }
      return value;
    }

    private static byte[] room(int size) {
      byte[] kept = KEPT.get();
      if (size <= kept.length) {
        return kept;
      }
      byte[] longer = new byte[size > KEPT_BYTES ? size : Integer.highestOneBit(size - 1) << 1];
      if (size <= KEPT_BYTES) {
        KEPT.set(longer);
      }
      return longer;
    }

    private static RequestRejectedException tooMany() {
      return new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              "message of more than %d values".formatted(ValueCount.VALUES_MAX))
          .withLimit(ValueCount.VALUES_MAX);
    }

    private RequestRejectedException malformed(Exception cause) {
      return new RequestRejectedException(
          RejectionCode.MALFORMED, "the bytes received are no message of " + name, cause);
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

  /// Says that the call of this thread is ended here, and not by the transport.
  static void endedHere() {
    AtomicBoolean here = ENDED_HERE.get();
    if (here != null) {
      here.set(true);
    }
  }

  private static final class GuardedListener<Q, R> extends ServerCall.Listener<Message<Q>> {
    private final GuardedCall<Q, R> call;
    private final ServerCall.Listener<Q> listener;
    private final Calls calls;
    private final HeldBytes.@Nullable Share arriving;
    private boolean refused;

    GuardedListener(
        GuardedCall<Q, R> call,
        ServerCall.Listener<Q> listener,
        Calls calls,
        HeldBytes.@Nullable Share arriving) {
      this.arriving = arriving;
      this.call = call;
      this.listener = listener;
      this.calls = calls;
    }

    @Override
    public void onMessage(Message<Q> message) {
      if (arriving != null) {
        arriving.release();
      }
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
        case UNKNOWN -> {
          // An answer to a client who is gone is no failure.
          if (!(status.getCause() instanceof ClosedChannelException)) {
            LOG.error("{} failed unforeseen", printable(), status.getCause());
          }
        }
        default -> {}
      }
    }

    private static String words(Status status) {
      String description = Objects.requireNonNullElse(status.getDescription(), "");
      return description.lines().findFirst().orElse("");
    }
  }
}
