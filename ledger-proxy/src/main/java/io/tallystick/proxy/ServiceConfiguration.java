package io.tallystick.proxy;

import io.grpc.BindableService;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Feature;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.master.Placement;
import io.tallystick.master.duty.AwaitedProposals;
import io.tallystick.master.duty.CompleteProposals;
import io.tallystick.master.duty.ShardDuties;
import io.tallystick.master.witness.WitnessSettings;
import io.tallystick.master.witness.Witnessing;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.HostedNode;
import io.tallystick.node.witnessed.WitnessedLedgers;
import io.tallystick.proxy.access.Founders;
import io.tallystick.proxy.access.MemberBudgets;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.anchor.Anchoring;
import io.tallystick.proxy.anchor.KeptTLedger;
import io.tallystick.proxy.anchor.RequestedTimes;
import io.tallystick.proxy.anchor.Submitting;
import io.tallystick.proxy.edge.Edge;
import io.tallystick.proxy.execute.ExecutePhase;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.proxy.operate.OperatorSocket;
import io.tallystick.proxy.proposal.Proposals;
import io.tallystick.proxy.rest.ManagementPort;
import io.tallystick.proxy.rest.RestConfiguration;
import io.tallystick.proxy.rest.ServiceVersion;
import io.tallystick.proxy.trace.Tracing;
import io.tallystick.proxy.trust.TrustedAnchors;
import io.tallystick.proxy.verify.ServerVerifier;
import io.tallystick.proxy.witness.CosignedHeads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.autoconfigure.info.InfoContributorAutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.info.ProjectInfoAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.grpc.server.autoconfigure.health.GrpcServerHealthSchedulerAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.ssl.SslMetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.startup.StartupTimeMetricsListenerAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.task.TaskExecutorMetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ScheduledTasksObservationAutoConfiguration;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.tomcat.autoconfigure.metrics.TomcatMetricsAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcObservationAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.grpc.server.NettyGrpcServerFactory;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;
import org.springframework.grpc.server.service.GrpcServiceConfigurer;
import org.springframework.grpc.server.service.GrpcServiceDiscoverer;

/// The parts of the service, each made from those before it and closed after those behind it.
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(
    // Parts nobody here asks for, each of which takes its share of every start, or of every
    // request.
    exclude = {
      AopAutoConfiguration.class,
      GrpcServerHealthSchedulerAutoConfiguration.class,
      InfoContributorAutoConfiguration.class,
      ProjectInfoAutoConfiguration.class,
      ScheduledTasksObservationAutoConfiguration.class,
      SslMetricsAutoConfiguration.class,
      StartupTimeMetricsListenerAutoConfiguration.class,
      TaskExecutorMetricsAutoConfiguration.class,
      TaskSchedulingAutoConfiguration.class,
      TomcatMetricsAutoConfiguration.class,
      WebMvcObservationAutoConfiguration.class
    })
@Import(RestConfiguration.class)
class ServiceConfiguration {
  /// How long a client waits for a proposal that another process submits.
  private static final Duration SUBMITTED_MAX = Duration.ofSeconds(60);

  @Bean
  ServiceProperties serviceProperties(Environment environment) {
    return ServiceProperties.bind(environment);
  }

  @Bean
  Signatures signatures() {
    return SignatureProviders.best();
  }

  /// Closes the node. A bean of the node itself would close it again: code that the build writes
  /// drops `destroyMethod = ""`, and Spring then closes whatever is `AutoCloseable`.
  @Bean(destroyMethod = "close")
  HostedNode hostedNode(NodeOpening opening, MeterRegistry meters) throws Exception {
    return opening.take(meters);
  }

  @Bean(destroyMethod = "close")
  OperatorSocket operatorSocket(ServiceProperties properties, HostedNode hosted) {
    return OperatorSocket.listen(properties.dataPath(), hosted);
  }

  /// From now on members may show certificates of these authorities.
  @Bean
  LedgerRegistry registry(ServiceProperties properties, HostedNode hosted, Signatures signatures)
      throws IOException {
    if (!hosted.hasDuties()) {
      SettingChecks.checkNoDuties(properties.outside());
    }
    if (!properties.access().members().files().isEmpty()) {
      hosted.trust(AuthorityFiles.members(properties.access().members().files()));
    }
    return new LedgerRegistry(Placement.onOneNode(hosted.node()), signatures);
  }

  @Bean(destroyMethod = "close")
  ExecutePhase executePhase(
      ServiceProperties properties,
      LedgerRegistry registry,
      Signatures signatures,
      MeterRegistry meters) {
    return new ExecutePhase(
        registry,
        new SubmissionVerifier(signatures, Set.of(Feature.CLUE_TRIE, Feature.STATE_FOREST)),
        new MemberBudgets("journals", properties.access().limits().memberJournalsPerSecond()),
        meters);
  }

  @Bean(destroyMethod = "close")
  Tracing tracing(ServiceProperties properties) {
    TracingProperties wanted = properties.operation().tracing();
    return wanted.endpoint() == null
        ? Tracing.off()
        : Tracing.exporting(wanted.endpoint(), wanted.sampling(), TallystickService.version());
  }

  @Bean
  ProxyMetrics proxyMetrics(MeterRegistry meters) {
    return new ProxyMetrics(meters);
  }

  @Bean
  ReadAccess readAccess(
      ServiceProperties properties, LedgerRegistry registry, Signatures signatures) {
    return switch (properties.access().reads()) {
      case MEMBERS ->
          ReadAccess.forMembers(
              registry,
              signatures,
              new MemberBudgets("reads", properties.access().limits().memberReadsPerSecond()));
      case ANYONE -> ReadAccess.forAnyone(registry, signatures);
    };
  }

  @Bean
  Founders founders(ServiceProperties properties, HostedNode hosted, Signatures signatures)
      throws IOException {
    String file = properties.access().founders();
    String authority = hosted.node().identity().authority().value();
    // An existing data directory keeps its authority, whatever the setting says.
    SettingChecks.checkInsecure(properties.listen(), authority);
    if (file != null) {
      return Founders.listedIn(Path.of(file), signatures, authority, hosted.node()::timeMs);
    }
    return properties.listen().loopback() || properties.listen().insecureDev()
        ? Founders.anyone()
        : Founders.noOne();
  }

  /// Closed before the phase that it submits to.
  @Bean(destroyMethod = "close")
  CompleteProposals completeProposals(HostedNode hosted, ExecutePhase execute) {
    return hosted.hasDuties()
        ? new ShardDuties(hosted.node(), execute)
        : new AwaitedProposals(hosted.node(), SUBMITTED_MAX);
  }

  @Bean
  Proposals proposals(
      LedgerRegistry registry,
      ReadAccess access,
      Signatures signatures,
      HostedNode hosted,
      CompleteProposals complete,
      MeterRegistry meters) {
    return new Proposals(registry, access, signatures, hosted.node(), complete, meters);
  }

  @Bean
  TrustedAnchors trustedAnchors(
      LedgerRegistry registry, HostedNode hosted, ReadAccess access, Signatures signatures) {
    return new TrustedAnchors(registry, hosted.node(), access, signatures);
  }

  @Bean(destroyMethod = "close")
  Edge edge(
      HostedNode hosted,
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
      KeptTLedger tLedger) {
    return new Edge(
        registry,
        access,
        heads,
        founders,
        execute,
        proposals,
        anchors,
        times,
        verifier,
        metrics,
        tracing,
        hosted.node()::health,
        TallystickService.version(),
        tLedger::door);
  }

  /// Closed before the node that it writes to.
  @Bean(destroyMethod = "close")
  KeptTLedger keptTLedger(
      ServiceProperties properties, HostedNode hosted, Signatures signatures, MeterRegistry meters)
      throws IOException, RequestRejectedException {
    return properties.outside().time().tLedger()
        ? KeptTLedger.open(
            hosted.node(),
            properties.dataPath(),
            properties.outside().time().submittersPath(),
            signatures,
            meters)
        : KeptTLedger.ofOthers(hosted);
  }

  /// Made before whatever appends: a ledger of which a witness has seen more takes no appends.
  @Bean(destroyMethod = "close")
  CosignedHeads cosignedHeads(
      ServiceProperties properties, HostedNode hosted, Signatures signatures, MeterRegistry meters)
      throws InterruptedException, IOException {
    Optional<WitnessSettings> settings = properties.outside().witness().settings();
    if (settings.isPresent()) {
      WitnessedLedgers.add(properties.dataPath(), settings.get().ledgers());
    }
    return hosted.hasDuties()
        ? OutsideDuties.witnessing(
            properties.outside(), hosted.node(), signatures, Witnessing.Shelf.NONE, meters)
        : CosignedHeads.shown(hosted.node(), meters);
  }

  /// Closed before the node that it writes to. It begins when the witnesses have been asked.
  @Bean(destroyMethod = "close")
  Anchoring anchoring(
      ServiceProperties properties, HostedNode hosted, MeterRegistry meters, CosignedHeads asked)
      throws IOException {
    return OutsideDuties.anchoring(properties.outside(), hosted.node(), meters);
  }

  /// Closed before the node that it reads and writes.
  @Bean(destroyMethod = "close")
  Submitting submitting(
      ServiceProperties properties, HostedNode hosted, Signatures signatures, MeterRegistry meters)
      throws IOException {
    return OutsideDuties.submitting(
        properties.outside(), properties.dataPath(), hosted.node(), signatures, meters);
  }

  /// Closed before what it asks.
  @Bean(destroyMethod = "close")
  RequestedTimes requestedTimes(
      HostedNode hosted,
      ReadAccess access,
      Anchoring anchoring,
      Submitting submitting,
      MeterRegistry meters) {
    return hosted.hasDuties()
        ? RequestedTimes.of(hosted.node(), access, anchoring, submitting, meters)
        : RequestedTimes.ofMaster(hosted.node(), access, meters);
  }

  @Bean
  ManagementPort managementPort(ServiceProperties properties) {
    Integer port = properties.operation().management().port();
    return new ManagementPort(
        port == null
            ? null
            : new InetSocketAddress(
                InetAddress.ofLiteral(properties.operation().management().address()), port));
  }

  @Bean
  ServiceVersion serviceVersion() {
    return new ServiceVersion(TallystickService.version());
  }

  @Bean(destroyMethod = "")
  BindableService ledgerService(Edge edge) {
    return edge.ledgerService();
  }

  @Bean(destroyMethod = "")
  BindableService journalService(Edge edge) {
    return edge.journalService();
  }

  @Bean(destroyMethod = "")
  BindableService clueService(Edge edge) {
    return edge.clueService();
  }

  @Bean(destroyMethod = "")
  BindableService stateService(Edge edge) {
    return edge.stateService();
  }

  @Bean(destroyMethod = "")
  BindableService tLedgerService(Edge edge) {
    return edge.tLedgerService();
  }

  @Bean(destroyMethod = "")
  BindableService proposalService(Edge edge) {
    return edge.proposalService();
  }

  @Bean(destroyMethod = "")
  BindableService removalService(Edge edge) {
    return edge.removalService();
  }

  @Bean(destroyMethod = "")
  BindableService healthService(Edge edge) {
    return edge.healthService();
  }

  /// The server itself. Left to choose, Spring takes whichever Netty a client library has brought
  /// along, and our limits would not reach it.
  @Bean
  NettyGrpcServerFactory nettyGrpcServerFactory(
      ServiceProperties properties,
      Edge edge,
      GrpcServiceDiscoverer services,
      GrpcServiceConfigurer configurer,
      SslBundles bundles,
      MeterRegistry meters)
      throws GeneralSecurityException, IOException {
    NettyGrpcServerFactory factory =
        new ListeningFactory(properties, edge, credentials(properties, bundles, meters));
    services
        .findServices()
        .forEach(service -> factory.addService(configurer.configure(service, factory)));
    return factory;
  }

  private static ServerCredentials credentials(
      ServiceProperties properties, SslBundles bundles, MeterRegistry meters)
      throws GeneralSecurityException, IOException {
    TransportSecurity security =
        properties.listen().tls() == null
            ? null
            : TransportSecurity.of(bundles, properties.listen().tls(), InstantSource.system());
    TransportSecurity.meter(security, meters);
    return security == null ? InsecureServerCredentials.create() : security.credentials();
  }

  /// The framework's factory, but that its certificates can be replaced while it runs.
  private static final class ListeningFactory extends NettyGrpcServerFactory {
    private final InetSocketAddress address;
    private final ServerCredentials credentials;

    ListeningFactory(ServiceProperties properties, Edge edge, ServerCredentials credentials) {
      super(
          properties.listen().target(properties.listen().port()),
          List.of(builder -> {
            edge.configure(builder, properties.operation().connectionAge());
            if (properties.listen().grpcReflection()) {
              builder.addService(edge.reflectionService());
            }
          }),
          null,
          null,
          null);
      this.address =
          new InetSocketAddress(
              InetAddress.ofLiteral(properties.listen().literalAddress()),
              properties.listen().port());
      this.credentials = credentials;
    }

    @Override
    protected NettyServerBuilder newServerBuilder() {
      return NettyServerBuilder.forAddress(address, credentials);
    }
  }

  @Bean
  GrpcServerLifecycle nettyGrpcServerLifecycle(
      NettyGrpcServerFactory factory, ApplicationEventPublisher events) {
    return new GrpcServerLifecycle(factory, TallystickService.GRACE, events);
  }

  @Bean
  Draining draining(Edge edge, ServiceProperties properties, ApplicationEventPublisher events) {
    return new Draining(edge, properties.operation().shutdownDelay(), events);
  }

  /// Ends the streams before the server waits for its calls to end. Before that, readiness is off
  /// and everything is answered for the delay of the settings, whoever closes the service.
  record Draining(Edge edge, Duration delay, ApplicationEventPublisher events) {
    @EventListener
    void onClose(ContextClosedEvent event) {
      if (delay.isPositive()) {
        leave();
      }
      edge.drain();
    }

    private void leave() {
      AvailabilityChangeEvent.publish(events, this, ReadinessState.REFUSING_TRAFFIC);
      edge.leave();
      try {
        Thread.sleep(delay);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
