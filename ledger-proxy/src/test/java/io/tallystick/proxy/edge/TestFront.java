package io.tallystick.proxy.edge;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.CreateLedgerResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.SignedRequest;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.master.Placement;
import io.tallystick.master.duty.ProposalSubmitter;
import io.tallystick.model.LedgerId;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.access.Founders;
import io.tallystick.proxy.access.MemberBudgets;
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
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// A front before a node, on a free loopback port, and one channel to it.
final class TestFront implements AutoCloseable {
  final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  final Edge edge;
  final ManagedChannel channel;
  final LedgerServiceGrpc.LedgerServiceBlockingStub ledgers;
  final JournalServiceGrpc.JournalServiceBlockingStub journals;

  private final ExecutePhase execute;
  private final ProposalSubmitter submitter;
  private final Server server;

  TestFront(LedgerNode node) throws IOException {
    this(node, Duration.ZERO);
  }

  TestFront(LedgerNode node, Duration connectionAge) throws IOException {
    Signatures signatures = SignatureProviders.best();
    LedgerRegistry registry = new LedgerRegistry(Placement.onOneNode(node), signatures);
    execute =
        new ExecutePhase(
            registry,
            new SubmissionVerifier(signatures, Set.of()),
            MemberBudgets.unlimited(),
            meters);
    ReadAccess access = ReadAccess.forAnyone(registry, signatures);
    submitter = new ProposalSubmitter(node, execute);
    edge =
        new Edge(
            registry,
            access,
            CosignedHeads.off(node, meters),
            Founders.anyone(),
            execute,
            new Proposals(registry, access, signatures, node, submitter, meters),
            new TrustedAnchors(registry, node, access, signatures),
            RequestedTimes.of(node, access, Anchoring.off(meters), Submitting.off(), meters),
            new ServerVerifier(registry, access, signatures, new ProxyMetrics(meters)),
            new ProxyMetrics(meters),
            Tracing.off(),
            node::health,
            "test",
            Optional::empty);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    edge.configure(builder, connectionAge);
    server =
        builder
            .addService(edge.ledgerService())
            .addService(edge.journalService())
            .addService(edge.clueService())
            .addService(edge.stateService())
            .addService(edge.proposalService())
            .addService(edge.removalService())
            .addService(edge.healthService())
            .build()
            .start();
    channel = channel();
    ledgers = LedgerServiceGrpc.newBlockingStub(channel);
    journals = JournalServiceGrpc.newBlockingStub(channel);
  }

  int port() {
    return server.getPort();
  }

  /// One more connection.
  ManagedChannel channel() {
    return NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
  }

  CreateLedgerResponse create(Fixtures ledger) {
    return ledgers.createLedger(createRequest(ledger));
  }

  static CreateLedgerRequest createRequest(Fixtures ledger) {
    return CreateLedgerRequest.newBuilder()
        .setGenesisParams(ToProto.bytes(ledger.params().encode()))
        .setAttestation(ToProto.bytes(ledger.genesisAttestation().encode()))
        .setNameSalt(ToProto.bytes(Fixtures.nameSalt()))
        .setName(Fixtures.LEDGER_NAME)
        .build();
  }

  static ByteString id(Fixtures ledger) {
    return ToProto.bytes(ledger.params().ledgerId().digest());
  }

  static AppendRequest append(long id, LedgerId target, Submission submission) {
    AppendRequest.Builder request =
        AppendRequest.newBuilder()
            .setId(id)
            .setLedgerId(ToProto.bytes(target.digest()))
            .setAttestation(ToProto.bytes(submission.attestation()));
    submission
        .requests()
        .forEach(one ->
            request.addRequests(
                SignedRequest.newBuilder()
                    .setHeader(ToProto.bytes(one.header()))
                    .setSalt(ToProto.bytes(one.salt()))
                    .setBody(ToProto.bytes(one.body()))));
    return request.build();
  }

  /// What a refused call was told.
  static Problem problem(StatusRuntimeException refused) {
    return Objects.requireNonNull(
        Objects.requireNonNull(refused.getTrailers()).get(ProblemTrailer.KEY));
  }

  double refusals(String code) {
    return meters.get("ledger.refusals").tag("code", code).counter().count();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
    try {
      server.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    edge.close();
    submitter.close();
    execute.close();
  }
}
