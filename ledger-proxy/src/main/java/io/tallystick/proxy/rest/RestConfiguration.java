package io.tallystick.proxy.rest;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.Support;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.master.anchor.AnchorStatus;
import io.tallystick.node.HostedNode;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeHealth;
import io.tallystick.proxy.access.Founders;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.anchor.Anchoring;
import io.tallystick.proxy.anchor.RequestedTimes;
import io.tallystick.proxy.anchor.Submitting;
import io.tallystick.proxy.execute.ExecutePhase;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.proxy.proposal.Proposals;
import io.tallystick.proxy.trace.Tracing;
import io.tallystick.proxy.trust.TrustedAnchors;
import io.tallystick.proxy.verify.ServerVerifier;
import io.tallystick.proxy.witness.CosignedHeads;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.apache.catalina.core.StandardHost;
import org.apache.coyote.ContinueResponseTiming;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.handler.MappedInterceptor;

/// The parts of the REST front, and the limits of the HTTP server that carries it.
@Configuration(proxyBeanMethods = false)
public class RestConfiguration {
  /// A request's line and headers.
  private static final int HEADER_BYTES_MAX = 8 << 10;

  /// Connections held open; further ones wait in the kernel's queue. One whose request is under way
  /// takes some 80 KB and {@link #WRITE_BYTES}: 4,096 of them filled the heap.
  private static final int CONNECTIONS_MAX = 1_024;

  /// Bytes that go out in one piece; every connection keeps so many.
  private static final int WRITE_BYTES = 32 << 10;

  private static final Set<String> LOOPBACK_NAMES =
      Set.of("localhost", "127.0.0.1", "[::1]", "::1");
  private static final int WAITING_CONNECTIONS_MAX = 256;

  /// Bytes that may stand between a chunk's length and its end: none, but that the server tells of
  /// one byte too many better than of the first.
  private static final int CHUNK_EXTENSION_BYTES = 1;

  /// Bytes that may stand behind the last chunk: the end of its line, and no fields.
  private static final int CHUNK_TRAILER_BYTES = 2;

  /// How long a request may take to arrive between two bytes, and a connection be idle.
  private static final Duration READ_MAX = Duration.ofSeconds(10);

  /// Bytes that are dropped of a body that nobody reads, so that its sender can read the answer.
  private static final int SWALLOWED_BYTES_MAX = 2 * RequestGate.BODY_BYTES_MAX;

  private static final Duration IDLE_MAX = Duration.ofSeconds(60);

  /// Made by the framework.
  public RestConfiguration() {}

  @Bean(destroyMethod = "close")
  PlatformThreads restThreads() {
    return new PlatformThreads();
  }

  @Bean
  SubmissionInput submissionInput(LedgerRegistry registry) {
    return new SubmissionInput(registry);
  }

  @Bean
  LedgerController ledgerController(
      LedgerRegistry registry,
      ReadAccess access,
      Founders founders,
      PlatformThreads threads,
      ServiceVersion version) {
    return new LedgerController(registry, access, founders, threads, version.value());
  }

  @Bean
  CertificateController certificateController(
      LedgerRegistry registry, ReadAccess access, PlatformThreads threads) {
    return new CertificateController(registry, access, threads);
  }

  @Bean
  RemovalController removalController(
      LedgerRegistry registry, ReadAccess access, PlatformThreads threads) {
    return new RemovalController(registry, access, threads);
  }

  @Bean
  JournalController journalController(
      LedgerRegistry registry,
      ReadAccess access,
      SubmissionInput submissions,
      ExecutePhase execute,
      ProxyMetrics metrics,
      PlatformThreads threads) {
    return new JournalController(
        access, submissions, new AwaitedAppends(registry, execute, metrics), threads);
  }

  @Bean
  PrepareController prepareController(
      LedgerRegistry registry, SubmissionInput submissions, PlatformThreads threads) {
    return new PrepareController(registry, submissions, threads);
  }

  @Bean
  TreeController treeController(ReadAccess access, CosignedHeads heads, PlatformThreads threads) {
    return new TreeController(access, heads, threads);
  }

  @Bean
  AnchorController anchorController(
      ReadAccess access, TrustedAnchors anchors, RequestedTimes times, PlatformThreads threads) {
    return new AnchorController(access, anchors, times, threads);
  }

  @Bean
  ProposalController proposalController(
      Proposals proposals, SubmissionInput submissions, PlatformThreads threads) {
    return new ProposalController(proposals, submissions, threads);
  }

  @Bean
  ClueController clueController(ReadAccess access, PlatformThreads threads) {
    return new ClueController(access, threads);
  }

  @Bean
  StateController stateController(ReadAccess access, PlatformThreads threads) {
    return new StateController(access, threads);
  }

  @Bean
  ServletRegistrationBean<PublicFilesServlet> publicFiles(
      LedgerRegistry registry,
      ReadAccess access,
      CosignedHeads heads,
      PlatformThreads threads,
      RestProblems problems) {
    return new ServletRegistrationBean<>(
        new PublicFilesServlet(registry, access, heads, threads, problems),
        PublicFilesServlet.PATHS);
  }

  /// Also of gRPC.
  @Bean
  ServerVerifier serverVerifier(
      LedgerRegistry registry, ReadAccess access, Signatures signatures, ProxyMetrics metrics) {
    return new ServerVerifier(registry, access, signatures, metrics);
  }

  @Bean
  VerifyController verifyController(
      ServerVerifier verifier, ReadAccess access, PlatformThreads threads) {
    return new VerifyController(verifier, access, threads);
  }

  @Bean
  WebMvcConfigurer bearerArguments() {
    return new BearerArgument();
  }

  @Bean
  MappedInterceptor knownQuery() {
    return new MappedInterceptor(KnownQuery.PATHS, new KnownQuery());
  }

  @Bean
  PlainOptions plainOptions() {
    return new PlainOptions();
  }

  @Bean
  MappedInterceptor emptyAnswers() {
    return new MappedInterceptor(EmptyAnswers.PATHS, new EmptyAnswers());
  }

  @Bean
  OpenApiController openApiController() throws IOException {
    return new OpenApiController();
  }

  @Bean
  FallbackController fallbackController() {
    return new FallbackController();
  }

  @Bean
  RestProblems restProblems(ProxyMetrics metrics) {
    return new RestProblems(metrics);
  }

  @Bean
  FilterRegistrationBean<RequestGate> requestGate(
      ProxyMetrics metrics,
      MeterRegistry meters,
      Tracing tracing,
      HostedNode hosted,
      @Value("${server.address}") String address) {
    Set<String> hosts = hosts(hosted.node(), address);
    FilterRegistrationBean<RequestGate> registration =
        new FilterRegistrationBean<>(
            new RequestGate(metrics, new RequestTimer(meters), tracing, hosts));
    registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return registration;
  }

  /// The names it is called by on a loopback address; elsewhere TLS says who it is, by whatever
  /// name.
  private static Set<String> hosts(LedgerNode node, String address) {
    if (!InetAddress.ofLiteral(address).isLoopbackAddress()) {
      return Set.of();
    }
    Set<String> hosts = new HashSet<>(LOOPBACK_NAMES);
    hosts.add(address);
    hosts.add("[" + address + "]");
    hosts.add(node.identity().authority().value().replaceFirst(":[0-9]+$", ""));
    return hosts;
  }

  /// `/actuator/health`: up while appends are taken; why not stands in the log.
  @Bean
  HealthIndicator shardHealthIndicator(HostedNode hosted) {
    return () -> {
      NodeHealth now = hosted.node().health();
      Health.Builder health =
          now.readable() && now.appendable() ? Health.up() : Health.outOfService();
      return health
          .withDetail("readable", now.readable())
          .withDetail("appendable", now.appendable())
          .build();
    };
  }

  /// `/actuator/health`: always up, since appends do not wait for time authorities; how the
  /// anchoring stands is in the details, and the log says which authority failed.
  @Bean
  HealthIndicator timeHealthIndicator(
      Anchoring anchoring, Submitting submitting, HostedNode hosted) {
    return () -> {
      Health.Builder health = Health.up();
      anchoring
          .status()
          .ifPresentOrElse(
              status -> tell(health, status, hosted.node().timeMs()),
              () ->
                  health.withDetail(
                      "anchored", Anchoring.NOT_ANCHORED + ": " + anchoring.whyNot()));
      submitting.status().ifPresent(status -> health.withDetail("tLedger", status));
      return health.build();
    };
  }

  /// `/actuator/health`: always up, since the other ledgers go on; which ledger is read-only, and
  /// by what a witness has seen, is in the details.
  @Bean
  HealthIndicator witnessHealthIndicator(CosignedHeads heads) {
    return () -> WitnessHealth.of(heads.status());
  }

  /// `/actuator/health`: always up, since the CPU computes what no device does; why none does is in
  /// the details.
  @Bean
  HealthIndicator gpuHealthIndicator(HostedNode hosted) {
    return () ->
        switch (hosted.hashing()) {
          case Support.Available device ->
              Health.up().withDetail("active", true).withDetail("device", device.device()).build();
          case Support.Unsupported none ->
              Health.up().withDetail("active", false).withDetail("why", none.why()).build();
        };
  }

  private static void tell(Health.Builder health, AnchorStatus status, long nowMs) {
    health.withDetail("anchored", status.failing() ? "failing" : "yes");
    status
        .lastAnchor()
        .ifPresent(last -> health.withDetail("lastAnchorAgeSeconds", (nowMs - last) / 1_000));
    status
        .waitingSince()
        .ifPresent(since -> health.withDetail("unanchoredSeconds", (nowMs - since) / 1_000));
    if (status.lastFailure() != null) {
      health.withDetail("lastFailure", status.lastFailure());
    }
  }

  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> httpLimits(
      @Value("${server.tomcat.basedir:}") String folder, ManagementPort management) {
    return factory -> {
      management.configure(factory);
      if (!folder.isEmpty()) {
        // Instead of a new temporary folder: nothing is read from it, no servlet serves its files.
        factory.getSettings().setDocumentRoot(new File(folder));
      }
      factory.addConnectorCustomizers(connector -> {
        connector.setXpoweredBy(false);
        connector.setParseBodyMethods(""); // no body is a form, and none is read past the gate
        connector.setProperty("socket.appWriteBufSize", String.valueOf(WRITE_BYTES));
        if (connector.getProtocolHandler() instanceof AbstractHttp11Protocol<?> http) {
          http.setMaxConnections(CONNECTIONS_MAX);
          http.setAcceptCount(WAITING_CONNECTIONS_MAX);
          http.setConnectionTimeout((int) READ_MAX.toMillis());
          http.setKeepAliveTimeout((int) IDLE_MAX.toMillis());
          http.setMaxKeepAliveRequests(-1); // a connection costs more than what goes over it
          http.setMaxHttpRequestHeaderSize(HEADER_BYTES_MAX);
          http.setContinueResponseTiming(
              ContinueResponseTiming.ON_REQUEST_BODY_READ
                  .toString()); // refused first, or asked for
          http.setMaxSwallowSize(SWALLOWED_BYTES_MAX);
          http.setMaxExtensionSize(CHUNK_EXTENSION_BYTES);
          http.setMaxTrailerSize(CHUNK_TRAILER_BYTES);
        }
      });
      factory.addContextCustomizers(context -> {
        if (context.getParent() instanceof StandardHost host) {
          host.setErrorReportValveClass(ProblemValve.class.getName());
        }
      });
    };
  }
}
