package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.GetBlockRequest;
import io.tallystick.api.v1.GetCheckpointRequest;
import io.tallystick.api.v1.GetConsistencyProofRequest;
import io.tallystick.api.v1.GetInclusionProofRequest;
import io.tallystick.api.v1.GetJournalRequest;
import io.tallystick.api.v1.GetLedgerRequest;
import io.tallystick.api.v1.GetReceiptRequest;
import io.tallystick.api.v1.GetStateHistoryRequest;
import io.tallystick.api.v1.GetStateRequest;
import io.tallystick.api.v1.GetTileRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.ListJournalsRequest;
import io.tallystick.api.v1.ListLedgersRequest;
import io.tallystick.api.v1.ListMembersRequest;
import io.tallystick.api.v1.ListStateRequest;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.ReadLogRequest;
import io.tallystick.api.v1.StateServiceGrpc;
import io.tallystick.client.ClientKey;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.journal.RequestSigner;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.proxy.rest.HttpStatuses;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: reads of what is not there, foundations that are not right and streams cut off are told
/// what was wrong and the limit, are counted, and leave no trace. Method: one each against the real
/// service over gRPC; sizes before and after, and an audit at the end.
class BadReadTest {
  @TempDir private static Path data;
  private static LiveService live;

  private Fixtures ledger;

  @BeforeAll
  static void start() throws Exception {
    live = new LiveService(data);
    assertThat(live.append(live.now().batch(1, 20)).hasReceipted()).isTrue();
  }

  @BeforeEach
  void dateRequests() {
    ledger = live.now();
  }

  @AfterAll
  static void auditAndStop() throws Exception {
    try {
      Audits.pass(live.service.target(), live.id(), ClientKey.of(Fixtures.ALICE));
    } finally {
      live.close();
    }
  }

  private static Problem refused(RejectionCode code, Runnable call) {
    double countBefore = live.refusals(code.wire());
    long sizeBefore = live.size();
    Problem problem = LiveService.problem(call);
    assertThat(problem.getCode()).as(problem.getDetail()).isEqualTo(code.wire());
    assertThat(problem.getHttpStatus()).isEqualTo(HttpStatuses.of(code));
    assertThat(problem.getDetail()).isNotBlank();
    assertThat(live.refusals(code.wire())).isEqualTo(countBefore + 1);
    assertThat(live.size()).isEqualTo(sizeBefore);
    return problem;
  }

  @Test
  void refusesJsnOutOfRangeAndNamesTheNewest() {
    long size = live.size();
    ByteString id = live.wireId();
    List<Problem> problems =
        List.of(
            refused(
                RejectionCode.OUT_OF_RANGE,
                () ->
                    live.journals.getJournal(
                        GetJournalRequest.newBuilder().setLedgerId(id).setJsn(size).build())),
            refused(
                RejectionCode.OUT_OF_RANGE,
                () ->
                    live.journals.getReceipt(
                        GetReceiptRequest.newBuilder().setLedgerId(id).setJsn(-1).build())),
            refused(
                RejectionCode.OUT_OF_RANGE,
                () ->
                    live.journals.getInclusionProof(
                        GetInclusionProofRequest.newBuilder()
                            .setLedgerId(id)
                            .setJsn(size)
                            .build())),
            refused(
                RejectionCode.OUT_OF_RANGE,
                () ->
                    live.journals.getBlock(
                        GetBlockRequest.newBuilder().setLedgerId(id).setHeight(1_000).build())));
    assertThat(problems.getFirst().getLimit()).isEqualTo(size - 1);
    assertThat(problems)
        .allSatisfy(problem -> assertThat(problem.getDetail()).containsPattern("\\d"));
  }

  @Test
  void refusesTimesAndHeightsOfAStateThatAreNone() {
    var states = StateServiceGrpc.newBlockingStub(live.channel);
    GetStateRequest.Builder key =
        GetStateRequest.newBuilder()
            .setLedgerId(live.wireId())
            .setKey(ByteString.copyFromUtf8("k"));
    GetStateRequest both = key.clone().setAsOfHeight(1).setAtTimeMs(1).build();
    assertThat(refused(RejectionCode.MALFORMED, () -> states.getState(both)).getDetail())
        .contains("as_of_height and at_time_ms exclude each other");
    for (long timeMs : new long[] {1, Long.MAX_VALUE, -1}) {
      GetStateRequest far = key.clone().setAtTimeMs(timeMs).build();
      var _ = refused(RejectionCode.TIME_OUT_OF_RANGE, () -> states.getState(far));
      ListStateRequest range =
          ListStateRequest.newBuilder().setLedgerId(live.wireId()).setAtTimeMs(timeMs).build();
      var _ = refused(RejectionCode.TIME_OUT_OF_RANGE, () -> states.listState(range));
    }
    GetStateHistoryRequest.Builder history =
        GetStateHistoryRequest.newBuilder().setLedgerId(live.wireId());
    GetStateHistoryRequest future = history.clone().setSize(-1).build();
    var _ = refused(RejectionCode.FUTURE_SIZE, () -> states.getStateHistory(future));
    GetStateHistoryRequest before = history.clone().setBeforeJsn(-1).build();
    var _ = refused(RejectionCode.OUT_OF_RANGE, () -> states.getStateHistory(before));
    GetStateHistoryRequest many = history.clone().setLimit(1_001).build();
    var _ = refused(RejectionCode.TOO_LARGE, () -> states.getStateHistory(many));
  }

  @Test
  void refusesHashesThatNoTileHas() {
    ByteString two = live.journals.getTile(tile(0, 0, 2)).getHashes();
    assertThat(two.size()).isEqualTo(2 * Digest.BYTES);
    for (GetTileRequest beyond :
        List.of(
            tile(0, 0, 256),
            tile(0, 0, 257),
            tile(0, 0, 0),
            tile(0, 1L << 56, 1),
            tile(8, 0, 1),
            tile(-1, 0, 1))) {
      var _ = refused(RejectionCode.OUT_OF_RANGE, () -> live.journals.getTile(beyond));
    }
  }

  private static GetTileRequest tile(int level, long index, int width) {
    return GetTileRequest.newBuilder()
        .setLedgerId(live.wireId())
        .setLevel(level)
        .setIndex(index)
        .setWidth(width)
        .build();
  }

  @Test
  void refusesProofForAFutureSizeAndNamesTheNewest() {
    long size = live.size();
    ByteString id = live.wireId();
    Problem inclusion =
        refused(
            RejectionCode.FUTURE_SIZE,
            () ->
                live.journals.getInclusionProof(
                    GetInclusionProofRequest.newBuilder()
                        .setLedgerId(id)
                        .setJsn(1)
                        .setSize(size + 1)
                        .build()));
    assertThat(inclusion.getLimit()).isEqualTo(size);
    Problem consistency =
        refused(
            RejectionCode.FUTURE_SIZE,
            () ->
                live.journals.getConsistencyProof(
                    GetConsistencyProofRequest.newBuilder()
                        .setLedgerId(id)
                        .setFromSize(2)
                        .setToSize(1L << 40)
                        .build()));
    assertThat(consistency.getLimit()).isEqualTo(size);
    Problem log =
        refused(
            RejectionCode.FUTURE_SIZE,
            () ->
                live.journals
                    .readLog(ReadLogRequest.newBuilder().setLedgerId(id).setSize(size + 7).build())
                    .next());
    assertThat(log.getLimit()).isEqualTo(size);
  }

  @Test
  void refusesUnknownLedgerWhereverItIsNamed() {
    ByteString id = WireBytes.toWire(Fixtures.bytes32("no ledger"));
    refused(
        RejectionCode.UNKNOWN_LEDGER,
        () -> live.ledgers.getLedger(GetLedgerRequest.newBuilder().setLedgerId(id).build()));
    refused(
        RejectionCode.UNKNOWN_LEDGER,
        () -> live.ledgers.listMembers(ListMembersRequest.newBuilder().setLedgerId(id).build()));
    refused(
        RejectionCode.UNKNOWN_LEDGER,
        () ->
            live.journals.getCheckpoint(GetCheckpointRequest.newBuilder().setLedgerId(id).build()));
    refused(
        RejectionCode.UNKNOWN_LEDGER,
        () -> live.journals.readLog(ReadLogRequest.newBuilder().setLedgerId(id).build()).next());
  }

  @Test
  void refusesMalformedIdAndPageAboveTheLimit() {
    refused(
        RejectionCode.MALFORMED,
        () ->
            live.ledgers.getLedger(
                GetLedgerRequest.newBuilder()
                    .setLedgerId(ByteString.copyFromUtf8("short"))
                    .build()));
    Problem ledgers =
        refused(
            RejectionCode.TOO_LARGE,
            () -> live.ledgers.listLedgers(ListLedgersRequest.newBuilder().setLimit(1001).build()));
    assertThat(ledgers.getLimit()).isEqualTo(1000);
    Problem journals =
        refused(
            RejectionCode.TOO_LARGE,
            () ->
                live.journals.listJournals(
                    ListJournalsRequest.newBuilder()
                        .setLedgerId(live.wireId())
                        .setLimit(-1)
                        .build()));
    assertThat(journals.getLimit()).isEqualTo(1000);
  }

  @Test
  void refusesGenesisThatNotAllOwnersSignedOrForAnotherServiceOrTime() {
    CreateLedgerRequest good =
        LiveService.createRequest(new Fixtures(ledger.params(), ledger.timeMs()));
    refused(
        RejectionCode.BAD_SIGNATURE,
        () ->
            live.ledgers.createLedger(
                good.toBuilder()
                    .setAttestation(
                        WireBytes.toWire(
                            RequestSigner.signGenesis(ledger.params(), List.of(Fixtures.ALICE))
                                .encode()))
                    .build()));
    refused(
        RejectionCode.WRONG_AUTHORITY,
        () ->
            live.ledgers.createLedger(
                LiveService.createRequest(Fixtures.ledger(System.currentTimeMillis()))));
    refused(
        RejectionCode.EXPIRED,
        () -> live.ledgers.createLedger(LiveService.createRequest(foundedAt(-60_000))));
    refused(
        RejectionCode.TOO_EARLY,
        () -> live.ledgers.createLedger(LiveService.createRequest(foundedAt(60_000))));
    refused(
        RejectionCode.COMMITMENT_MISMATCH,
        () -> live.ledgers.createLedger(good.toBuilder().setName("another").build()));
    assertThat(live.ledgers.listLedgers(ListLedgersRequest.getDefaultInstance()).getLedgersCount())
        .isEqualTo(1);
  }

  private Fixtures foundedAt(long offsetMs) {
    return Fixtures.ledger(
        System.currentTimeMillis() + offsetMs,
        "localhost",
        ledger.params().noteKey(),
        ledger.params().receiptKey());
  }

  /// A message cut off inside: the call ends with a status, and nobody else notices.
  @Test
  void endsAStreamWhoseMessageIsTruncated() throws Exception {
    double malformedBefore = live.refusals(RejectionCode.MALFORMED.wire());
    long sizeBefore = live.size();
    byte[] whole = live.request(ledger.single(500)).build().toByteArray();
    byte[] cut = Arrays.copyOf(whole, whole.length - 10);
    CompletableFuture<Void> end = new CompletableFuture<>();
    ClientCall<byte[], AppendResponse> call =
        live.channel.newCall(rawAppend(), CallOptions.DEFAULT);
    StreamObserver<byte[]> out =
        ClientCalls.asyncBidiStreamingCall(
            call,
            new StreamObserver<>() {
              @Override
              public void onNext(AppendResponse answer) {
                end.completeExceptionally(new AssertionError("answered: " + answer));
              }

              @Override
              public void onError(Throwable failure) {
                end.completeExceptionally(failure);
              }

              @Override
              public void onCompleted() {
                end.complete(null);
              }
            });
    out.onNext(cut);
    assertThatThrownBy(() -> end.get(Waiting.MAX.toSeconds(), TimeUnit.SECONDS))
        .satisfies(failure ->
            assertThat(Status.fromThrowable(failure).getCode())
                .isEqualTo(Status.Code.INVALID_ARGUMENT));
    Throwable failure = end.handle((_, thrown) -> thrown).join();
    Metadata trailers = Objects.requireNonNull(Status.trailersFromThrowable(failure));
    assertThat(Objects.requireNonNull(trailers.get(ProblemTrailer.KEY)).getCode())
        .isEqualTo(RejectionCode.MALFORMED.wire());
    assertThat(live.refusals(RejectionCode.MALFORMED.wire())).isEqualTo(malformedBefore + 1);
    assertThat(live.size()).isEqualTo(sizeBefore);
    assertThat(live.append(ledger.single(501)).hasReceipted()).isTrue();
  }

  private static MethodDescriptor<byte[], AppendResponse> rawAppend() {
    return JournalServiceGrpc.getAppendMethod().toBuilder(
            new MethodDescriptor.Marshaller<byte[]>() {
              @Override
              public InputStream stream(byte[] value) {
                return new ByteArrayInputStream(value);
              }

              @Override
              public byte[] parse(InputStream stream) {
                try {
                  return stream.readAllBytes();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }
            },
            JournalServiceGrpc.getAppendMethod().getResponseMarshaller())
        .build();
  }

  /// A client that goes away in the middle of a stream takes nothing with it: what was whole is
  /// committed, what was not is not.
  @Test
  void outlivesAClientThatVanishesInTheMiddleOfAStream() throws Exception {
    AppendStream stream = new AppendStream(live.channel);
    Submission whole = ledger.single(600);
    stream.send(live.request(whole).build());
    stream.nextAnswer();
    stream.cancel();
    AppendRequest again = live.request(whole).build();
    assertThat(live.append(again).getReceipted().getRepeated()).isTrue();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), live.service.port())) {
      OutputStream out = socket.getOutputStream();
      out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      out.write(new byte[] {0, 0, 40, 4, 0});
      out.flush();
    }
    assertThat(live.append(ledger.single(601)).hasReceipted()).isTrue();
  }
}
