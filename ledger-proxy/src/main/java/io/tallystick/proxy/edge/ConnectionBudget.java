package io.tallystick.proxy.edge;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/// The budget of one connection: submissions received and not yet answered, over all of its
/// streams. A stream whose connection has no room stops asking for messages, and the transport's
/// flow control holds the client back; nothing is refused. One message per stream may overshoot.
/// Thread-safe.
final class ConnectionBudget {
  static final long IN_FLIGHT_BYTES_MAX = 8L << 20;

  /// The cost of a submission beyond its bytes.
  static final int OVERHEAD_BYTES = 1 << 10;

  private static final long AFTER_AGE_MILLIS = 500;

  private static final Attributes.Key<ConnectionBudget> ATTRIBUTE =
      Attributes.Key.create("tallystick-connection-budget");
  private static final Context.Key<ConnectionBudget> CONTEXT =
      Context.key("tallystick-connection-budget");

  /// Its appends, which end when the connection is old.
  private final OpenCalls appends = new OpenCalls();

  private final Set<Runnable> waiting = new LinkedHashSet<>();
  private long inFlightBytes;

  /// Takes what has arrived; always possible.
  synchronized void take(long bytes) {
    inFlightBytes += bytes;
  }

  /// Whether another message may be asked for; if not, `resume` runs once when that changes.
  synchronized boolean hasRoom(Runnable resume) {
    if (inFlightBytes < IN_FLIGHT_BYTES_MAX) {
      return true;
    }
    waiting.add(resume);
    return false;
  }

  void give(long bytes) {
    List<Runnable> resumed = List.of();
    synchronized (this) {
      inFlightBytes -= bytes;
      if (inFlightBytes < IN_FLIGHT_BYTES_MAX && !waiting.isEmpty()) {
        resumed = List.copyOf(waiting);
        waiting.clear();
      }
    }
    resumed.forEach(Runnable::run);
  }

  synchronized void forget(Runnable resume) {
    waiting.remove(resume);
  }

  synchronized long inFlightBytes() {
    return inFlightBytes;
  }

  /// The connection's appends: to be drained when it is old.
  OpenCalls appends() {
    return appends;
  }

  /// The budget of the connection that the current call came over.
  static ConnectionBudget current() {
    ConnectionBudget budget = CONTEXT.get();
    return budget == null ? new ConnectionBudget() : budget;
  }

  /// Gives every new connection its budget, and its appends their end.
  static final class Filter extends ServerTransportFilter {
    private static final Attributes.Key<ScheduledFuture<?>> END =
        Attributes.Key.create("tallystick-connection-end");

    private final ScheduledExecutorService clock;
    private final Duration age;

    /// @param age 0: connections have none
    Filter(ScheduledExecutorService clock, Duration age) {
      this.clock = clock;
      this.age = age;
    }

    /// The server takes up to a tenth longer to tell the client that the connection takes no more
    /// calls. An append that ended before would come back over the same connection.
    private static long endMillis(Duration age) {
      return age.toMillis() * 11 / 10 + AFTER_AGE_MILLIS;
    }

    @Override
    public Attributes transportReady(Attributes attributes) {
      ConnectionBudget budget = new ConnectionBudget();
      Attributes.Builder builder = attributes.toBuilder().set(ATTRIBUTE, budget);
      if (age.isPositive()) {
        builder.set(
            END, clock.schedule(budget.appends::drain, endMillis(age), TimeUnit.MILLISECONDS));
      }
      return builder.build();
    }

    @Override
    public void transportTerminated(Attributes attributes) {
      ScheduledFuture<?> end = attributes == null ? null : attributes.get(END);
      if (end != null) {
        end.cancel(false);
      }
    }
  }

  /// Makes the connection's budget known to its calls.
  static final class Interceptor implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      ConnectionBudget budget = call.getAttributes().get(ATTRIBUTE);
      Context context =
          budget == null ? Context.current() : Context.current().withValue(CONTEXT, budget);
      return Contexts.interceptCall(context, call, headers, next);
    }
  }
}
