package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.tallystick.api.v1.Block;
import io.tallystick.api.v1.BodyState;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.CreateLedgerResponse;
import io.tallystick.api.v1.GetBlockRequest;
import io.tallystick.api.v1.GetCheckpointRequest;
import io.tallystick.api.v1.GetConsistencyProofRequest;
import io.tallystick.api.v1.GetInclusionProofRequest;
import io.tallystick.api.v1.GetJournalRequest;
import io.tallystick.api.v1.GetKeyChainRequest;
import io.tallystick.api.v1.GetLedgerRequest;
import io.tallystick.api.v1.GetReceiptRequest;
import io.tallystick.api.v1.GetServiceDescriptionRequest;
import io.tallystick.api.v1.InclusionProof;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.Ledger;
import io.tallystick.api.v1.ListJournalsRequest;
import io.tallystick.api.v1.ListJournalsResponse;
import io.tallystick.api.v1.ListLedgersRequest;
import io.tallystick.api.v1.ListLedgersResponse;
import io.tallystick.api.v1.ListMembersRequest;
import io.tallystick.api.v1.LogChunk;
import io.tallystick.api.v1.LogEntry;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.ReadLogRequest;
import io.tallystick.api.v1.ServiceDescription;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.node.NodeHealth;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: what is read is what was written, refusals are statuses with a problem in the trailers,
/// and a log is streamed no faster than it is read. Method: a small ledger behind a real channel.
class ReadTest {
  private final MemoryNode node = new MemoryNode();
  private final Fixtures ledger = Fixtures.ledger(System.currentTimeMillis());
  private final ByteString id = TestFront.id(ledger);
  private TestFront front;

  @BeforeEach
  void start() throws Exception {
    front = new TestFront(node);
    front.create(ledger);
  }

  @AfterEach
  void stop() {
    front.close();
  }

  private void append(io.tallystick.testkit.Submission submission) throws InterruptedException {
    AppendClient client = AppendClient.open(front.channel);
    client.send(TestFront.append(1, ledger.params().ledgerId(), submission));
    assertThat(client.nextAnswer().hasReceipted()).isTrue();
    client.requests().onCompleted();
  }

  private static Problem problem(Status.Code status, RejectionCode code, ThrowingCallable call) {
    List<Problem> found = new ArrayList<>();
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            failure -> {
              assertThat(failure.getStatus().getCode()).isEqualTo(status);
              Problem problem = TestFront.problem(failure);
              assertThat(problem.getCode()).isEqualTo(code.wire());
              assertThat(failure.getStatus().getDescription()).contains(problem.getDetail());
              found.add(problem);
            });
    return found.getFirst();
  }

  @Test
  void describesTheService() {
    ServiceDescription description =
        front.ledgers.getServiceDescription(GetServiceDescriptionRequest.getDefaultInstance());
    assertThat(description.getAuthority()).isEqualTo("localhost");
    assertThat(description.getMaxBatchCount()).isEqualTo(10_000);
    assertThat(description.getMaxRequestBytes()).isEqualTo((1 << 20) + (64 << 10));
    assertThat(description.getNoteKeySpki())
        .isEqualTo(ToProto.bytes(Fixtures.NOTE.publicKey().spki()));
  }

  @Test
  void answersTheSameLedgerWhenItIsFoundedAgain() {
    CreateLedgerResponse again = front.create(ledger);
    assertThat(again.getExisted()).isTrue();
    assertThat(again.getLedger().getLedgerId()).isEqualTo(id);
    assertThat(again.getLedger().getGenesisParams())
        .isEqualTo(ToProto.bytes(ledger.params().encode()));
  }

  @Test
  void refusesToFoundALedgerWhoseOwnersDidNotAllSign() {
    CreateLedgerRequest request = TestFront.createRequest(ledger);
    CreateLedgerRequest byOne =
        request.toBuilder()
            .setAttestation(
                ToProto.bytes(
                    io.tallystick.journal.RequestSigner.signGenesis(
                            ledger.params(), List.of(Fixtures.ALICE))
                        .encode()))
            .build();
    problem(
        Status.Code.UNAUTHENTICATED,
        RejectionCode.BAD_SIGNATURE,
        () -> front.ledgers.createLedger(byOne));
  }

  @Test
  void refusesANameThatDoesNotOpenItsCommitment() {
    CreateLedgerRequest request =
        TestFront.createRequest(ledger).toBuilder().setName("another").build();
    problem(
        Status.Code.INVALID_ARGUMENT,
        RejectionCode.COMMITMENT_MISMATCH,
        () -> front.ledgers.createLedger(request));
    assertThat(front.refusals("commitment_mismatch")).isEqualTo(1);
  }

  @Test
  void listsLedgersInPages() {
    for (int i = 1; i <= 4; i++) {
      front.create(Fixtures.ledger(ledger.timeMs() + i));
    }
    List<ByteString> seen = new ArrayList<>();
    ByteString after = ByteString.EMPTY;
    do {
      ListLedgersResponse page =
          front.ledgers.listLedgers(
              ListLedgersRequest.newBuilder().setLimit(2).setAfterLedgerId(after).build());
      page.getLedgersList().stream().map(Ledger::getLedgerId).forEach(seen::add);
      after = page.getNextAfterLedgerId();
    } while (!after.isEmpty());
    assertThat(seen).hasSize(5).doesNotHaveDuplicates().contains(id);
  }

  @Test
  void listsMembersWithTheirRoles() {
    var members =
        front.ledgers.listMembers(ListMembersRequest.newBuilder().setLedgerId(id).build());
    assertThat(members.getMembersList())
        .hasSize(2)
        .allSatisfy(member -> {
          assertThat(member.getRole()).isEqualTo(1);
          assertThat(member.hasRevokedJsn()).isFalse();
        });
  }

  @Test
  void readsAJournalBackAsItWasWritten() throws Exception {
    SignedRequest request = ledger.request(1);
    append(ledger.submission(request, Fixtures.ALICE));
    var entry =
        front.journals.getJournal(GetJournalRequest.newBuilder().setLedgerId(id).setJsn(2).build());
    assertThat(entry.getBodyState()).isEqualTo(BodyState.BODY_PRESENT);
    assertThat(entry.getBody()).isEqualTo(ToProto.bytes(request.body()));
    assertThat(entry.getSalt()).isEqualTo(ToProto.bytes(request.salt()));
    InclusionProof proof =
        front.journals.getInclusionProof(
            GetInclusionProofRequest.newBuilder().setLedgerId(id).setJsn(2).build());
    assertThat(proof.getSize()).isEqualTo(4);
    assertThat(proof.getLeafHash())
        .isEqualTo(ToProto.bytes(TreeHasher.leafHash(entry.getLeaf().toByteArray())));
    Block block =
        front.journals.getBlock(GetBlockRequest.newBuilder().setLedgerId(id).setJsn(2).build());
    assertThat(block.getHeight()).isEqualTo(1);
    assertThat(
            front
                .journals
                .getReceipt(GetReceiptRequest.newBuilder().setLedgerId(id).setJsn(2).build())
                .getLeaf())
        .isEqualTo(entry.getLeaf());
  }

  @Test
  void refusesWhatIsNotThereYet() {
    Problem jsn =
        problem(
            Status.Code.OUT_OF_RANGE,
            RejectionCode.OUT_OF_RANGE,
            () ->
                front.journals.getJournal(
                    GetJournalRequest.newBuilder().setLedgerId(id).setJsn(2).build()));
    assertThat(jsn.getJsn()).isEqualTo(2);
    problem(
        Status.Code.OUT_OF_RANGE,
        RejectionCode.OUT_OF_RANGE,
        () ->
            front.journals.getReceipt(
                GetReceiptRequest.newBuilder().setLedgerId(id).setJsn(-1).build()));
    problem(
        Status.Code.OUT_OF_RANGE,
        RejectionCode.FUTURE_SIZE,
        () ->
            front.journals.getInclusionProof(
                GetInclusionProofRequest.newBuilder()
                    .setLedgerId(id)
                    .setJsn(0)
                    .setSize(3)
                    .build()));
    problem(
        Status.Code.OUT_OF_RANGE,
        RejectionCode.FUTURE_SIZE,
        () ->
            front.journals.getConsistencyProof(
                GetConsistencyProofRequest.newBuilder()
                    .setLedgerId(id)
                    .setFromSize(2)
                    .setToSize(99)
                    .build()));
    assertThat(front.refusals("future_size")).isEqualTo(2);
  }

  @Test
  void refusesUnknownAndMalformedLedgers() {
    problem(
        Status.Code.NOT_FOUND,
        RejectionCode.UNKNOWN_LEDGER,
        () ->
            front.journals.getCheckpoint(
                GetCheckpointRequest.newBuilder()
                    .setLedgerId(ToProto.bytes(new byte[32]))
                    .build()));
    Problem malformed =
        problem(
            Status.Code.INVALID_ARGUMENT,
            RejectionCode.MALFORMED,
            () ->
                front.ledgers.getLedger(
                    GetLedgerRequest.newBuilder().setLedgerId(ByteString.EMPTY).build()));
    assertThat(malformed.getDetail()).isEqualTo("ledger_id of 0 bytes, want 32");
  }

  @Test
  void showsTheKeyChainOfLedgersThatItHolds() throws Exception {
    GetKeyChainRequest request = GetKeyChainRequest.newBuilder().setLedgerId(id).build();
    Bytes chain = Bytes.wrap(front.journals.getKeyChain(request).getKeyChain().toByteArray());
    assertThat(KeyChain.decode(chain)).isEqualTo(KeyChain.EMPTY);
    GetKeyChainRequest unknown =
        request.toBuilder().setLedgerId(ToProto.bytes(new byte[32])).build();
    problem(
        Status.Code.NOT_FOUND,
        RejectionCode.UNKNOWN_LEDGER,
        () -> front.journals.getKeyChain(unknown));
  }

  @Test
  void listsJournalsInPagesCutByCountAndBytes() throws Exception {
    append(ledger.batch(1, 5));
    append(big(1));
    append(big(2));
    List<Long> seen = new ArrayList<>();
    int pages = 0;
    long next = 0;
    boolean more = true;
    while (more) {
      ListJournalsResponse page =
          front.journals.listJournals(
              ListJournalsRequest.newBuilder()
                  .setLedgerId(id)
                  .setFromJsn(next)
                  .setLimit(6)
                  .build());
      page.getJournalsList().forEach(entry -> seen.add(entry.getJsn()));
      more = page.hasNextFromJsn();
      next = page.getNextFromJsn();
      pages++;
    }
    assertThat(seen).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L);
    // 0 to 5; 6 to the first big one; its seal to the second; its seal.
    assertThat(pages).isEqualTo(4);
  }

  @Test
  void refusesAPageOfMoreThanAThousand() {
    Problem problem =
        problem(
            Status.Code.RESOURCE_EXHAUSTED,
            RejectionCode.TOO_LARGE,
            () ->
                front.journals.listJournals(
                    ListJournalsRequest.newBuilder().setLedgerId(id).setLimit(1_001).build()));
    assertThat(problem.getLimit()).isEqualTo(1_000);
  }

  @Test
  void streamsTheWholeLogWithEachAttestationOnce() throws Exception {
    append(ledger.batch(1, 3));
    append(bigBatch(4));
    List<LogEntry> entries = new ArrayList<>();
    LogChunk last = LogChunk.getDefaultInstance();
    int chunks = 0;
    Iterator<LogChunk> stream =
        front.journals.readLog(ReadLogRequest.newBuilder().setLedgerId(id).build());
    while (stream.hasNext()) {
      last = stream.next();
      assertThat(last.getSerializedSize()).isLessThan(3 << 20);
      entries.addAll(last.getEntriesList());
      chunks++;
    }
    assertThat(chunks).as("the batch of 4 MB is cut").isGreaterThan(3);
    assertThat(entries).hasSize(11);
    assertThat(entries.stream().filter(entry -> !entry.getAttestation().isEmpty()))
        .as("genesis and two batches")
        .hasSize(3);
    assertThat(last.getHeadReceipt().toStringUtf8()).isEqualTo("head receipt at 11");
    assertThat(last.getCheckpoint().toStringUtf8()).contains("\n11\n");
  }

  @Test
  void streamsAnOldHeadWithoutACheckpoint() throws Exception {
    append(ledger.single(1));
    Iterator<LogChunk> stream =
        front.journals.readLog(
            ReadLogRequest.newBuilder().setLedgerId(id).setSize(2).setFrom(1).build());
    LogChunk only = stream.next();
    assertThat(stream.hasNext()).isFalse();
    assertThat(only.getEntriesCount()).isEqualTo(1);
    assertThat(only.getHeadReceipt().toStringUtf8()).isEqualTo("head receipt at 2");
    assertThat(only.getCheckpoint()).isEqualTo(ByteString.EMPTY);
  }

  @Test
  void refusesToStreamToASizeWithoutHead() throws Exception {
    append(ledger.single(1));
    problem(
        Status.Code.OUT_OF_RANGE,
        RejectionCode.OUT_OF_RANGE,
        () ->
            front
                .journals
                .readLog(ReadLogRequest.newBuilder().setLedgerId(id).setSize(3).build())
                .next());
    problem(
        Status.Code.OUT_OF_RANGE,
        RejectionCode.FUTURE_SIZE,
        () ->
            front
                .journals
                .readLog(ReadLogRequest.newBuilder().setLedgerId(id).setSize(5).build())
                .next());
  }

  @Test
  void readsNoFasterThanASlowReader() throws Exception {
    for (int i = 0; i < 30; i++) {
      append(big(i));
    }
    SlowReader reader = new SlowReader();
    JournalServiceGrpc.newStub(front.channel)
        .readLog(ReadLogRequest.newBuilder().setLedgerId(id).build(), reader);
    reader.request(1);
    assertThat(reader.next()).isNotNull();
    long readAfterOne = settledReads();
    assertThat(readAfterOne).as("leaves read for a reader of one chunk").isLessThan(40);
    reader.request(Integer.MAX_VALUE);
    int chunks = 1;
    while (reader.next() != null) {
      chunks++;
    }
    assertThat(chunks).isGreaterThanOrEqualTo(30);
    assertThat(node.leavesRead()).isEqualTo(62);
  }

  private long settledReads() throws InterruptedException {
    long before = -1;
    while (node.leavesRead() != before) {
      before = node.leavesRead();
      Thread.sleep(200);
    }
    return before;
  }

  @Test
  void tellsHealthSoonAfterItHasChanged() throws Exception {
    var health = HealthGrpc.newBlockingStub(front.channel);
    assertThat(status(health, "")).isEqualTo(ServingStatus.SERVING);
    Iterator<HealthCheckResponse> watch = health.watch(HealthCheckRequest.getDefaultInstance());
    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);
    node.health = new NodeHealth(true, false, "the disk is full");
    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(status(health, "")).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(status(health, "tallystick.v1.JournalService")).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(status(health, "tallystick.v1.LedgerService")).isEqualTo(ServingStatus.SERVING);
    assertThatThrownBy(() -> status(health, "other"))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessageStartingWith("NOT_FOUND");
  }

  private static ServingStatus status(HealthGrpc.HealthBlockingStub health, String service) {
    return health.check(HealthCheckRequest.newBuilder().setService(service).build()).getStatus();
  }

  private io.tallystick.testkit.Submission big(int number) {
    return ledger.submission(bigRequest(number), Fixtures.ALICE);
  }

  private io.tallystick.testkit.Submission bigBatch(int count) {
    List<SignedRequest> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(bigRequest(100 + i));
    }
    return ledger.submission(requests, Fixtures.ALICE);
  }

  private SignedRequest bigRequest(int number) {
    return RequestDraft.append(
            ledger.strand(),
            Bytes.wrap(new byte[1_000_000]),
            "",
            ledger.timeMs(),
            Fixtures.bytes32("big " + number))
        .build();
  }

  /// Takes a chunk only when asked to; null ends.
  private static final class SlowReader
      implements ClientResponseObserver<ReadLogRequest, LogChunk> {
    private static final LogChunk END = LogChunk.newBuilder().build();

    private final BlockingQueue<LogChunk> chunks = new LinkedBlockingQueue<>();
    private @Nullable ClientCallStreamObserver<ReadLogRequest> stream;

    @Override
    public void beforeStart(ClientCallStreamObserver<ReadLogRequest> started) {
      stream = started;
      started.disableAutoRequestWithInitial(0);
    }

    void request(int count) {
      if (stream != null) {
        stream.request(count);
      }
    }

    @SuppressWarnings("ReferenceEquality")
    @Nullable LogChunk next() throws InterruptedException {
      LogChunk chunk = chunks.poll(Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
      assertThat(chunk).as("a chunk within 20 s").isNotNull();
      return chunk == END ? null : chunk;
    }

    @Override
    public void onNext(LogChunk chunk) {
      chunks.add(chunk);
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError(failure);
    }

    @Override
    public void onCompleted() {
      chunks.add(END);
    }
  }
}
