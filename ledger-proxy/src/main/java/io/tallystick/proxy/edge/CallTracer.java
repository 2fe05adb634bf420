package io.tallystick.proxy.edge;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.tallystick.model.RejectionCode;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.proxy.trace.LineLimit;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Times each call, and counts what the transport refuses itself: a call that ran out of what the
/// transport lends, and that no handler has ended, had a message above {@link
/// MessageLimits#TRANSPORT_BYTES_MAX}. Thread-safe.
final class CallTracer extends ServerStreamTracer.Factory {
  private static final Logger LOG = LoggerFactory.getLogger(CallTracer.class);
  private static final LineLimit LINES = new LineLimit();

  private static final Context.Key<Trace> TRACE = Context.key("call-trace");

  /// The method is the client's words: it has not been looked up yet.
  private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9._/-]");

  private final ProxyMetrics metrics;

  CallTracer(ProxyMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new Trace(method, metrics);
  }

  /// The trace of this thread's call; null on a server that does not trace.
  static @Nullable Trace current() {
    return TRACE.get();
  }

  /// One call.
  static final class Trace extends ServerStreamTracer {
    private final String method;
    private final ProxyMetrics metrics;
    private final long startedNanos = System.nanoTime();
    private volatile @Nullable String known;
    private volatile boolean endedHere;

    private Trace(String method, ProxyMetrics metrics) {
      this.method = method;
      this.metrics = metrics;
    }

    /// Says that the call is ended by the service, and not by the transport.
    void endedHere() {
      endedHere = true;
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> call) {
      known = call.getMethodDescriptor().getFullMethodName();
    }

    @Override
    public Context filterContext(Context context) {
      return context.withValue(TRACE, this);
    }

    @Override
    public void streamClosed(Status status) {
      String served = known;
      if (served != null) {
        metrics.called(served, System.nanoTime() - startedNanos);
      }
      if (!endedHere) {
        countTransports(status);
      }
    }

    private void countTransports(Status status) {
      switch (status.getCode()) {
        case RESOURCE_EXHAUSTED -> {
          metrics.refused(RejectionCode.TOO_LARGE);
          LINES.line(end ->
              LOG.warn(
                  "too_large: message of more than {} bytes to {}{}",
                  MessageLimits.TRANSPORT_BYTES_MAX,
                  printable(),
                  end));
        }
        case INTERNAL ->
            LINES.line(end ->
                LOG.warn(
                    "unreadable: {} was ended by the transport: {}{}",
                    printable(),
                    words(status),
                    end));
        // What is thrown on the transport's own thread says no more than this to the client.
        case UNKNOWN -> {
          // An answer to a client who is gone is no failure.
          if (!(status.getCause() instanceof ClosedChannelException)) {
            LINES.line(
                end -> LOG.error("{} failed unforeseen{}", printable(), end, status.getCause()));
          }
        }
        default -> {}
      }
    }

    private String printable() {
      return UNSAFE.matcher(method).replaceAll("?");
    }

    private static String words(Status status) {
      String description = Objects.requireNonNullElse(status.getDescription(), "");
      return description.lines().findFirst().orElse("");
    }
  }
}
