package io.tallystick.audit.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.GetCheckpointRequest;
import io.tallystick.api.v1.GetCheckpointResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.LogChunk;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.ReadLogRequest;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.AuditStatements;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.StateLogs;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a log read over the wire is audited like any other, through broken streams too. Method: a
/// service on the loopback that tells the sample log in scripted pieces.
class RemoteLogSourceTest {
  private final Scripted service = new Scripted(MemoryLog.of(Logs.sample()));
  private Server server;
  private ManagedChannel channel;

  /// How one stream ends: after so many entries, with this status, or never.
  private record Script(
      int entries, Status status, boolean stall, @Nullable RejectionCode refusal) {
    Script(int entries, Status status) {
      this(entries, status, false, null);
    }

    Script(int entries, RejectionCode refusal) {
      this(entries, Status.DATA_LOSS, false, refusal);
    }

    static Script stalling(int entries) {
      return new Script(entries, Status.OK, true, null);
    }

    StatusRuntimeException failure() {
      Metadata trailers = new Metadata();
      if (refusal != null) {
        trailers.put(
            ProblemTrailer.KEY,
            Problem.newBuilder()
                .setCode(refusal.wire())
                .setDetail("journal 5 is damaged: checksum")
                .setJsn(5)
                .build());
      }
      return status.asRuntimeException(trailers);
    }
  }

  @BeforeEach
  void start() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(service)
            .build()
            .start();
    channel =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()))
            .usePlaintext()
            .build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  @Test
  void auditsAServicesLog() {
    AuditReport report = Logs.audit(source());
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.size().value()).isEqualTo(Logs.SIZE);
    assertThat(report.checkpointVerified()).isTrue();
  }

  @Test
  void takesTheOperationsFromTheService() throws Exception {
    Server other =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Scripted(MemoryLog.of(StateLogs.sample())))
            .build()
            .start();
    ManagedChannel to =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), other.getPort()))
            .usePlaintext()
            .build();
    try {
      AuditReport report =
          StateLogs.audit(new RemoteLogSource(to, StateLogs.FIXTURES.strand()), Logs.OPTIONS);
      assertThat(report.faults()).isEmpty();
      assertThat(report.counts().operations()).isEqualTo(StateLogs.OPERATIONS);
    } finally {
      to.shutdownNow();
      other.shutdownNow();
    }
  }

  @Test
  void takesABrokenStreamUpAgainBehindTheLastEntry() {
    service.scripts.add(new Script(5, Status.UNAVAILABLE));
    service.scripts.add(new Script(7, Status.UNAVAILABLE));
    AuditReport report = Logs.audit(source());
    assertThat(report.firstFault()).isEmpty();
    assertThat(service.begins).containsExactly(0L, 5L, 12L);
  }

  @Test
  void blamesAServiceThatEndsTheLogTooEarly() {
    service.scripts.add(new Script(5, Status.OK));
    Logs.assertFault(source(), 5, FaultKind.LOG_TRUNCATED);
  }

  @Test
  void blamesAServiceThatShowsNoSignedHead() {
    service.scripts.add(new Script(Logs.SIZE, Status.OK));
    Logs.assertFault(source(), Logs.SIZE, FaultKind.LOG_TRUNCATED);
  }

  @Test
  void knowsNothingWhenTheServiceCannotBeRead() {
    service.scripts.add(new Script(5, Status.INTERNAL));
    assertThatThrownBy(() -> Logs.AUDITOR.audit(Logs.LEDGER, source(), Logs.OPTIONS))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("reading the log at jsn 5 failed: INTERNAL");
  }

  @Test
  void blamesAServiceThatSaysThatItsStoreIsDamaged() {
    service.scripts.add(new Script(5, RejectionCode.DAMAGED));
    AuditReport report = Logs.audit(source());
    AuditFault fault = report.firstFault().orElseThrow();
    assertThat(fault)
        .isEqualTo(
            new AuditFault(5, FaultKind.LOG_DAMAGED, "damaged: journal 5 is damaged: checksum"));
    assertThat(report.size().value()).as("replayed up to the damage").isEqualTo(5);
    assertThat(service.begins).as("damage is not asked for again").containsExactly(0L);
  }

  @Test
  void blamesADamagedServiceForALogThatCannotBeSaved(@TempDir Path folder) {
    service.scripts.add(new Script(5, RejectionCode.DAMAGED));
    assertThatThrownBy(() -> LogCopy.save(source(), folder.resolve("log.copy")))
        .isInstanceOfSatisfying(
            LogFormatException.class,
            failure -> assertThat(failure.kind()).isEqualTo(FaultKind.LOG_DAMAGED))
        .hasMessage("damaged: journal 5 is damaged: checksum");
  }

  @Test
  void knowsNothingWhenTheServiceRefusesForAnotherReason() {
    service.scripts.add(new Script(5, RejectionCode.UNKNOWN_LEDGER));
    assertThatThrownBy(() -> Logs.AUDITOR.audit(Logs.LEDGER, source(), Logs.OPTIONS))
        .isInstanceOf(IOException.class)
        .hasCauseInstanceOf(StatusRuntimeException.class);
  }

  @Test
  void takesAStreamUpAgainThatStoodStill() {
    service.scripts.add(Script.stalling(5));
    AuditReport report =
        Logs.audit(
            new RemoteLogSource(channel, Logs.FIXTURES.strand(), true, Duration.ofSeconds(3)));
    assertThat(report.firstFault()).isEmpty();
    assertThat(service.begins).containsExactly(0L, 5L);
  }

  @Test
  void knowsNothingWhenTheServiceTellsNothingAnyMore() {
    for (int i = 0; i < 6; i++) {
      service.scripts.add(Script.stalling(0));
    }
    RemoteLogSource source =
        new RemoteLogSource(channel, Logs.FIXTURES.strand(), true, Duration.ofMillis(50));
    assertThatThrownBy(() -> Logs.AUDITOR.audit(Logs.LEDGER, source, Logs.OPTIONS))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nothing came for 50 ms");
  }

  @Test
  void asksOnlyForWhatALaterAuditNeeds(@TempDir Path folder) throws Exception {
    AuditStatements statements =
        new AuditStatements(
            folder, SignatureProviders.best().generate(SignatureAlgorithm.ED25519), Duration.ZERO);
    Logs.AUDITOR.audit(Logs.FIXTURES.strand(), source(), Logs.OPTIONS, statements);
    AuditReport again =
        Logs.AUDITOR.audit(Logs.FIXTURES.strand(), source(), Logs.OPTIONS, statements);
    assertThat(again.firstFault()).isEmpty();
    assertThat(again.resumedFrom()).isEqualTo(Logs.SIZE);
    assertThat(service.begins).containsExactly(0L, Logs.SIZE - 1L);
  }

  private RemoteLogSource source() {
    return new RemoteLogSource(channel, Logs.FIXTURES.strand());
  }

  private static final class Scripted extends JournalServiceGrpc.JournalServiceImplBase {
    private final MemoryLog log;
    private final Deque<Script> scripts = new ArrayDeque<>();
    private final List<Long> begins = new CopyOnWriteArrayList<>();

    Scripted(MemoryLog log) {
      this.log = log;
    }

    @Override
    public void getCheckpoint(
        GetCheckpointRequest request, StreamObserver<GetCheckpointResponse> response) {
      response.onNext(
          GetCheckpointResponse.newBuilder().setNote(proto(log.end().checkpoint())).build());
      response.onCompleted();
    }

    @Override
    public void readLog(ReadLogRequest request, StreamObserver<LogChunk> response) {
      begins.add(request.getFrom());
      Script script = scripts.poll();
      int from = (int) request.getFrom();
      int to = script == null ? log.entries().size() : from + script.entries;
      for (int i = from; i < to; i += 3) {
        LogChunk.Builder chunk = LogChunk.newBuilder();
        log.entries().subList(i, Math.min(i + 3, to)).forEach(e -> chunk.addEntries(proto(e)));
        response.onNext(chunk.build());
      }
      if (script != null && script.stall) {
        return;
      }
      if (script != null && !script.status.isOk()) {
        response.onError(script.failure());
        return;
      }
      if (script == null) {
        response.onNext(
            LogChunk.newBuilder()
                .setCheckpoint(proto(log.end().checkpoint()))
                .setHeadReceipt(proto(log.end().headReceipt()))
                .build());
      }
      response.onCompleted();
    }

    private static io.tallystick.api.v1.LogEntry proto(LogEntry entry) {
      return io.tallystick.api.v1.LogEntry.newBuilder()
          .setLeaf(proto(entry.leaf()))
          .setAttestation(proto(entry.attestation()))
          .setOps(proto(entry.ops()))
          .setBodyState(io.tallystick.api.v1.BodyState.valueOf("BODY_" + entry.bodyState()))
          .setSalt(proto(entry.salt()))
          .setBody(proto(entry.body()))
          .build();
    }

    private static ByteString proto(Bytes value) {
      return ByteString.copyFrom(value.unsafeArray());
    }
  }
}
