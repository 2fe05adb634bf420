package io.tallystick.proxy.edge;

import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.master.tledger.TLedgerDoor;
import io.tallystick.node.NodeHealth;
import io.tallystick.proxy.access.Founders;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.anchor.RequestedTimes;
import io.tallystick.proxy.execute.ExecutePhase;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.proxy.proposal.Proposals;
import io.tallystick.proxy.trace.Tracing;
import io.tallystick.proxy.trust.TrustedAnchors;
import io.tallystick.proxy.verify.ServerVerifier;
import io.tallystick.proxy.witness.CosignedHeads;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// The gRPC front of a service: its services and the limits a server must have to carry them.
public final class Edge implements AutoCloseable {
  private static final int CALLS_PER_CONNECTION_MAX = 256;

  /// Calls that a client gives up, on one connection, in so many seconds; one that resets more is
  /// closed: what a call has begun goes on without it.
  private static final int RESETS_MAX = 1_000;

  private static final int RESETS_SECONDS = 1;

  /// Bytes that a client may send on a call before it is asked for them.
  private static final int FLOW_CONTROL_BYTES = 256 << 10;

  /// Bytes of one call's headers; gRPC's own default, since tokens are short.
  private static final int METADATA_BYTES_MAX = 8 << 10;

  /// Our own client asks every 15 s whether a silent service is still there.
  private static final int PING_SECONDS_MIN = 10;

  /// Until a new connection has said that it speaks HTTP/2, TLS included.
  private static final int HANDSHAKE_SECONDS_MAX = 20;

  /// A connection without a call is closed; clients open another when they need it.
  private static final int IDLE_MINUTES_MAX = 10;

  /// Connections held open; a further one is closed at once.
  private static final int CONNECTIONS_MAX = 4_096;

  /// Calls read files, so they run on platform threads; these also wait for disks.
  private static final int THREADS_MIN = 4;

  private final OpenCalls openCalls = new OpenCalls();
  private final ExecutorService threads;
  private final Health health;
  private final BindableService guardedHealth;
  private final BindableService ledgerService;
  private final BindableService journalService;
  private final BindableService clueService;
  private final BindableService stateService;
  private final BindableService tLedgerService;
  private final BindableService proposalService;
  private final BindableService removalService;
  private final BindableService reflectionService;
  private final CallTracer tracer;
  private final BearerInterceptor bearer;
  private final SpanInterceptor spans;
  private final Callers callers = new Callers();
  private final CallsUnderWay callsUnderWay;
  private final RequestedTimes times;
  private final Connections connections;
  private final ScheduledExecutorService ages =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("connection-age").daemon().factory());

  /// @param version of the software, told to clients
  /// @param tLedger empty while this service keeps no T-Ledger
  public Edge(
      LedgerRegistry registry,
      ReadAccess access,
      CosignedHeads heads,
      Founders founders,
      ExecutePhase execute,
      Proposals proposals,
      TrustedAnchors anchors,
      RequestedTimes times,
      ServerVerifier verifier,
      ProxyMetrics metrics,
      Tracing tracing,
      Supplier<NodeHealth> nodeHealth,
      String version,
      Supplier<Optional<TLedgerDoor>> tLedger) {
    int count = Math.max(THREADS_MIN, 2 * Runtime.getRuntime().availableProcessors());
    threads =
        Executors.newFixedThreadPool(
            count, Thread.ofPlatform().name("edge-", 0).daemon().factory());
    this.times = times;
    Calls calls = new Calls(metrics);
    bearer = new BearerInterceptor(calls);
    spans = new SpanInterceptor(tracing);
    callsUnderWay = new CallsUnderWay(CallsUnderWay.OTHERS_MAX, CallsUnderWay.HEALTH_MAX, calls);
    connections =
        new Connections(
            CONNECTIONS_MAX,
            Connections.PINNED_BYTES_MAX,
            callsUnderWay::heldBytes,
            metrics::connectionRefused);
    health = new Health(nodeHealth, openCalls);
    MessageGuard messages = new MessageGuard(calls, openCalls);
    tracer = new CallTracer(metrics);
    ledgerService = messages.guard(new LedgerEndpoint(registry, access, founders, calls, version));
    guardedHealth = messages.guard(health.service());
    journalService =
        messages.guard(
            new JournalEndpoint(
                access, heads, anchors, times, verifier, execute, calls, openCalls, threads));
    clueService = messages.guard(new ClueEndpoint(access, calls));
    stateService = messages.guard(new StateEndpoint(access, calls));
    tLedgerService = messages.guard(new TLedgerEndpoint(tLedger, calls));
    proposalService = messages.guard(new ProposalEndpoint(proposals, calls));
    removalService = messages.guard(new RemovalEndpoint(registry, access, calls));
    reflectionService = messages.guard(ProtoReflectionServiceV1.newInstance());
  }

  public BindableService ledgerService() {
    return ledgerService;
  }

  public BindableService journalService() {
    return journalService;
  }

  public BindableService clueService() {
    return clueService;
  }

  public BindableService stateService() {
    return stateService;
  }

  public BindableService tLedgerService() {
    return tLedgerService;
  }

  public BindableService proposalService() {
    return proposalService;
  }

  public BindableService removalService() {
    return removalService;
  }

  /// `grpc.health.v1.Health`.
  public BindableService healthService() {
    return guardedHealth;
  }

  /// `grpc.reflection.v1.ServerReflection`.
  public BindableService reflectionService() {
    return reflectionService;
  }

  /// Sets limits, threads and the connection's budget; adds no service.
  ///
  /// @param connectionAge after which a connection takes no more calls, one tenth more or less, and
  ///   its appends are ended in order; 0: never
  public void configure(NettyServerBuilder builder, Duration connectionAge) {
    connections.configure(builder);
    if (connectionAge.isPositive()) {
      builder.maxConnectionAge(connectionAge.toMillis(), TimeUnit.MILLISECONDS);
    }
    builder
        .executor(threads)
        .callExecutor(new CallExecutors(threads))
        .maxInboundMessageSize(MessageLimits.TRANSPORT_BYTES_MAX)
        .addStreamTracerFactory(tracer)
        .addStreamTracerFactory(callsUnderWay)
        .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION_MAX)
        .maxRstFramesPerWindow(RESETS_MAX, RESETS_SECONDS)
        .maxInboundMetadataSize(METADATA_BYTES_MAX)
        .flowControlWindow(FLOW_CONTROL_BYTES)
        .permitKeepAliveTime(PING_SECONDS_MIN, TimeUnit.SECONDS)
        .handshakeTimeout(HANDSHAKE_SECONDS_MAX, TimeUnit.SECONDS)
        .maxConnectionIdle(IDLE_MINUTES_MAX, TimeUnit.MINUTES)
        .addTransportFilter(new ConnectionBudget.Filter(ages, connectionAge))
        .intercept(bearer)
        .intercept(callers)
        .intercept(new ConnectionBudget.Interceptor())
        .intercept(spans)
        .intercept(callsUnderWay);
  }

  /// Appending only hands on, and a change of thread costs more than that: it stays on the thread
  /// that read the message. So does health, which waits for nothing and must not wait behind what
  /// does. All else may wait for a disk.
  private record CallExecutors(Executor waiting) implements ServerCallExecutorSupplier {
    @Override
    public <Q, R> Executor getExecutor(ServerCall<Q, R> call, Metadata headers) {
      MethodDescriptor<Q, R> method = call.getMethodDescriptor();
      boolean waitsForNothing =
          method
                  .getFullMethodName()
                  .equals(JournalServiceGrpc.getAppendMethod().getFullMethodName())
              || HealthGrpc.SERVICE_NAME.equals(method.getServiceName());
      return waitsForNothing ? Runnable::run : waiting;
    }
  }

  /// Health says from now on that nothing is served here; all is served nevertheless.
  public void leave() {
    health.drain();
  }

  /// Ends the streaming calls: each answers what it has taken, then ends with `UNAVAILABLE`. Ends
  /// whatever waits for a time, on this front and on others. Returns at once.
  public void drain() {
    health.drain();
    openCalls.drain();
    times.drain();
  }

  /// The server must have ended.
  @Override
  public void close() {
    health.close();
    connections.close();
    ages.shutdownNow();
    threads.shutdown();
  }
}
