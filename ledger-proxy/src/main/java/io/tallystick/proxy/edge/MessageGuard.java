package io.tallystick.proxy.edge;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.grpc.BindableService;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.KnownLength;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Ends a call whose message is too long, or is no message of that call, with a problem and a count
/// like any other refusal. gRPC by itself would end it with a bare status.
record MessageGuard(Calls calls, OpenCalls openCalls) implements ServerInterceptor {
  /// The values of one message: parsing makes an object of each, and an empty one comes in two
  /// bytes.
  static final int VALUES_MAX = 160_000;

  private static final int MORE_TAG =
      AppendRequest.MORE_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  /// The same service, its messages parsed behind this guard.
  BindableService guard(BindableService service) {
    return () -> {
      var plain = service.bindService();
      plain
          .getServiceDescriptor()
          .getMethods()
          .forEach(method -> calls.metrics().serves(method.getFullMethodName()));
      return ServerInterceptors.intercept(ServerInterceptors.useInputStreamMessages(plain), this);
    };
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    Guarded<Q, R> guarded = new Guarded<>(call, CallTracer.current());
    String method = call.getMethodDescriptor().getFullMethodName();
    boolean isAppend = method.equals(JournalServiceGrpc.getAppendMethod().getFullMethodName());
    int bytesMax =
        method.equals(JournalServiceGrpc.getVerifyMethod().getFullMethodName())
            ? MessageLimits.VERIFY_BYTES_MAX
            : MessageLimits.REQUEST_BYTES_MAX;
    return new SimpleForwardingServerCallListener<>(next.startCall(guarded, headers)) {
      private boolean refused;

      @Override
      public void onMessage(Q message) {
        if (refused) {
          return; // whatever comes behind what was refused
        }
        try {
          if (isAppend) {
            checkLength((InputStream) message, MessageLimits.APPEND_BYTES_MAX);
            checkValues((InputStream) message);
          } else {
            checkLength((InputStream) message, bytesMax);
          }
          super.onMessage(message);
        } catch (StatusRuntimeException e) {
          refused = true;
          StatusRuntimeException end = isProblem(e) ? e : calls.status(unreadable(call, e));
          guarded.close(end);
          super.onCancel();
        }
      }

      @Override
      public void onHalfClose() {
        if (!refused) {
          super.onHalfClose();
        }
      }
    };
  }

  private void checkLength(InputStream message, int bytesMax) {
    try {
      if (lengthUpTo(message, bytesMax + 1) > bytesMax) {
        throw calls.status(tooLarge(bytesMax));
      }
    } catch (IOException e) {
      throw Status.INTERNAL.withCause(e).asRuntimeException(); // as the parser does
    }
  }

  /// The length of a message, or `enough` if it is longer. That of a compressed one shows only when
  /// it is read.
  private static int lengthUpTo(InputStream message, int enough) throws IOException {
    if (message instanceof KnownLength) {
      return message.available();
    }
    message.mark(enough);
    long length = 0;
    while (length < enough && message.read() >= 0) {
      length += 1 + message.skip(enough - length - 1);
    }
    message.reset();
    return (int) length;
  }

  /// Counts the values of an Append message, the only one that holds messages. The values of a
  /// message in `more`, and of a group, count like those of the message itself.
  private void checkValues(InputStream message) {
    try {
      if (message instanceof KnownLength && message.available() <= VALUES_MAX) {
        return;
      }
      message.mark(MessageLimits.TRANSPORT_BYTES_MAX);
      int values = countValues(CodedInputStream.newInstance(message));
      message.reset();
      if (values > VALUES_MAX) {
        throw calls.status(
            new RequestRejectedException(
                    RejectionCode.TOO_LARGE,
                    String.format(Locale.ROOT, "message of more than %d values", VALUES_MAX))
                .withLimit(VALUES_MAX));
      }
    } catch (IOException e) {
      throw Status.INTERNAL.withCause(e).asRuntimeException(); // as the parser does
    }
  }

  private static int countValues(CodedInputStream in) throws IOException {
    int values = 0;
    for (int tag = in.readTag(); tag != 0 && values <= VALUES_MAX; tag = in.readTag()) {
      values++;
      int type = WireFormat.getTagWireType(tag);
      if (tag == MORE_TAG) {
        var _ = in.readRawVarint32(); // its values follow
      } else if (type != WireFormat.WIRETYPE_START_GROUP && type != WireFormat.WIRETYPE_END_GROUP) {
        in.skipField(tag);
      }
    }
    return values;
  }

  private static boolean isProblem(StatusRuntimeException failure) {
    return failure.getTrailers() != null && failure.getTrailers().containsKey(ProblemTrailer.KEY);
  }

  private RequestRejectedException unreadable(
      ServerCall<?, ?> call, StatusRuntimeException failure) {
    // So does gRPC say that a compressed one is longer than the transport lets through.
    if (failure.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED) {
      return tooLarge(MessageLimits.APPEND_BYTES_MAX);
    }
    // A stop, or the end of its call, may have taken the rest: nobody's mistake.
    return openCalls.isDraining() || call.isCancelled()
        ? new RequestRejectedException(
            RejectionCode.UNAVAILABLE, "the message broke off; send the same again", failure)
        : new RequestRejectedException(
            RejectionCode.MALFORMED,
            "the bytes received are no message of "
                + call.getMethodDescriptor().getFullMethodName(),
            failure);
  }

  private static RequestRejectedException tooLarge(int bytesMax) {
    return new RequestRejectedException(
            RejectionCode.TOO_LARGE,
            String.format(Locale.ROOT, "message of more than %d bytes", bytesMax))
        .withLimit(bytesMax);
  }

  /// The call as its handler sees it. Once it has ended, what the handler still says is lost: it
  /// may speak from a thread of its own at that moment.
  private static final class Guarded<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final CallTracer.@Nullable Trace trace;
    private boolean ended;

    /// @param trace null on a server that does not trace
    Guarded(ServerCall<Q, R> call, CallTracer.@Nullable Trace trace) {
      super(call);
      this.trace = trace;
    }

    void close(StatusRuntimeException end) {
      close(end.getStatus(), Objects.requireNonNullElseGet(end.getTrailers(), Metadata::new));
    }

    @Override
    public synchronized void close(Status status, Metadata trailers) {
      if (!ended) {
        ended = true;
        if (trace != null) {
          trace.endedHere();
        }
        super.close(status, trailers);
      }
    }

    @Override
    public synchronized void sendHeaders(Metadata headers) {
      if (!ended) {
        super.sendHeaders(headers);
      }
    }

    @Override
    public synchronized void sendMessage(R message) {
      if (!ended) {
        super.sendMessage(message);
      }
    }
  }
}
