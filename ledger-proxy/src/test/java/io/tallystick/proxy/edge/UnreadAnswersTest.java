package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.GetCheckpointRequest;
import io.tallystick.api.v1.GetCheckpointResponse;
import io.tallystick.api.v1.GetJournalRequest;
import io.tallystick.api.v1.GetServiceDescriptionRequest;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.journal.RequestDraft;
import io.tallystick.model.Bytes;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.testkit.Fixtures;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: clients that ask and do not read take bounded memory, and room from others for a while
/// only. Method: calls over connections with small windows, whose answers nobody asks for.
@Timeout(120)
class UnreadAnswersTest {
  private static final int BODY_BYTES = 1_000_000;
  private static final int WINDOW_BYTES = 1 << 10;
  private static final int CALLS = 120;

  /// As many as a connection may have.
  private static final int STREAMS = 256;

  private static final int MESSAGE_COUNT_MAX = 1_024;

  private static final int ATTEMPTS_MAX = 150;
  private static final long FITTING = UnreadAnswers.BYTES_MAX / BODY_BYTES;

  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : opened.reversed()) {
      one.close();
    }
  }

  /// How a call ended.
  private record End(Status status, Metadata trailers) {}

  /// Asks for a journal and for no answer.
  private static BlockingQueue<End> ask(
      ManagedChannel channel, ByteString ledger, int calls, List<ClientCall<?, ?>> asked) {
    BlockingQueue<End> ended = new LinkedBlockingQueue<>();
    for (int i = 0; i < calls; i++) {
      ClientCall<GetJournalRequest, JournalEntry> call =
          channel.newCall(JournalServiceGrpc.getGetJournalMethod(), CallOptions.DEFAULT);
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
              ended.add(new End(status, trailers));
            }
          },
          new Metadata());
      call.sendMessage(GetJournalRequest.newBuilder().setLedgerId(ledger).setJsn(2).build());
      call.halfClose();
      asked.add(call);
    }
    return ended;
  }

  private ManagedChannel slow(int port) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port)
            .flowControlWindow(WINDOW_BYTES)
            .usePlaintext()
            .build();
    opened.add(channel::shutdownNow);
    return channel;
  }

  @Test
  void refusesAnswersThatWouldWaitWithTooManyOthersUntilThoseAreGone() throws Exception {
    TestFront front = new TestFront(new MemoryNode());
    opened.add(front);
    Fixtures ledger = Fixtures.ledger(System.currentTimeMillis());
    front.create(ledger);
    AppendClient client = AppendClient.open(front.channel);
    client.send(
        TestFront.append(
            1,
            ledger.params().ledgerId(),
            ledger.submission(
                RequestDraft.append(
                        ledger.strand(),
                        Bytes.wrap(new byte[BODY_BYTES]),
                        "",
                        ledger.timeMs(),
                        Fixtures.bytes32("salt"))
                    .build(),
                Fixtures.ALICE)));
    assertThat(client.nextAnswer().hasReceipted()).isTrue();
    client.requests().onCompleted();

    List<ClientCall<?, ?>> asked = new ArrayList<>();
    ByteString id = TestFront.id(ledger);
    BlockingQueue<End> ended = ask(slow(front.port()), id, CALLS, asked);
    for (long i = FITTING; i < CALLS; i++) {
      End refused = Objects.requireNonNull(ended.poll(30, TimeUnit.SECONDS));
      assertThat(refused.status().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(Objects.requireNonNull(refused.trailers().get(ProblemTrailer.KEY)).getCode())
          .isEqualTo("rate_limited");
    }
    assertThat(front.refusals("rate_limited")).isGreaterThanOrEqualTo(CALLS - FITTING);

    asked.forEach(call -> call.cancel("had enough", null));
    int length = 0;
    for (int i = 0; i < ATTEMPTS_MAX && length == 0; i++) {
      length = bodyLength(front, id);
      Thread.sleep(100); // until the service has heard of all that
    }
    assertThat(length).isGreaterThan(BODY_BYTES);
  }

  /// Of the journal, 0 while there is no room for it.
  private static int bodyLength(TestFront front, ByteString id) {
    try {
      return front
          .journals
          .getJournal(GetJournalRequest.newBuilder().setLedgerId(id).setJsn(2).build())
          .getBody()
          .size();
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      return 0;
    }
  }

  @Test
  void closesTheConnectionOfWhoHasReadNothingForLongWhenOthersNeedTheRoom() throws Exception {
    Calls calls = new Calls(new ProxyMetrics(new SimpleMeterRegistry()));
    BoundedTransport transport =
        new BoundedTransport(100, BoundedTransport.UNASKED_BYTES_MAX, _ -> 0, () -> {});
    opened.add(transport);
    LongAnswers answers = new LongAnswers(calls);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    transport.configure(builder);
    Server server =
        builder
            .addService(answers)
            .intercept(new UnreadAnswers(transport::close, Duration.ofMillis(300)))
            .build()
            .start();
    opened.add(server::shutdownNow);
    ManagedChannel one = slow(server.getPort());
    ask(one, ByteString.EMPTY, (int) FITTING - 3, new ArrayList<>());
    assertThat(answers.given.tryAcquire((int) FITTING - 3, 30, TimeUnit.SECONDS)).isTrue();
    assertThat(one.getState(false)).isEqualTo(ConnectivityState.READY);

    ManagedChannel other = slow(server.getPort());
    BlockingQueue<End> others = ask(other, ByteString.EMPTY, 8, new ArrayList<>());
    End refused = Objects.requireNonNull(others.poll(30, TimeUnit.SECONDS));
    assertThat(refused.status().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    for (int i = 0; i < ATTEMPTS_MAX && isOpen(one); i++) {
      ask(other, ByteString.EMPTY, 1, new ArrayList<>());
      Thread.sleep(200);
    }
    assertThat(isOpen(one)).as("the first connection is open").isFalse();
    assertThat(isOpen(other)).as("the other is open").isTrue();
    assertThat(
            JournalServiceGrpc.newBlockingStub(other)
                .getCheckpoint(GetCheckpointRequest.getDefaultInstance()))
        .isNotNull();
  }

  /// A message of two bytes an answer.
  private static AppendRequest answered(int times) {
    AppendRequest.Builder message = AppendRequest.newBuilder();
    for (int i = 0; i < times - 1; i++) {
      message.addMore(AppendRequest.getDefaultInstance());
    }
    return message.build();
  }

  @ParameterizedTest(name = "over {0} connections {1} answers a stream")
  @CsvSource({"3, 1024", "14, 100"})
  void appendsThatReadNoAnswersKeepNobodyFromReadingAndAreClosedBeforeThoseThatDo(
      int connections, int answers) throws Exception {
    TestFront front = new TestFront(new MemoryNode());
    opened.add(front);
    AppendClient idle = AppendClient.open(front.channel);
    idle.send(AppendRequest.getDefaultInstance());
    assertThat(idle.nextAnswer().hasProblem()).isTrue();
    List<ManagedChannel> slow = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      slow.add(slow(front.port()));
    }
    List<AppendClient> unread = new ArrayList<>();
    for (int i = 0; i < slow.size() * STREAMS; i++) {
      unread.add(AppendClient.open(slow.get(i % slow.size()), true));
      unread.getLast().send(answered(answers));
      assertThat(
              front.ledgers.getServiceDescription(
                  GetServiceDescriptionRequest.getDefaultInstance()))
          .isNotNull();
    }
    // Of one with unread answers the end is told when they have been read.
    unread.forEach(stream -> stream.requests().request(2 * MESSAGE_COUNT_MAX));
    for (int i = 0; i < ATTEMPTS_MAX && !isAnyEnded(unread); i++) {
      Thread.sleep(100);
    }
    assertThat(isAnyEnded(unread)).as("a stream that reads nothing has ended").isTrue();
    assertThat(idle.end.isDone()).as("the stream that has read its answer has ended").isFalse();
    idle.send(AppendRequest.getDefaultInstance());
    assertThat(idle.nextAnswer().hasProblem()).isTrue();
  }

  private static boolean isAnyEnded(List<AppendClient> streams) {
    return streams.stream().anyMatch(stream -> stream.end.isDone());
  }

  private static boolean isOpen(ManagedChannel channel) {
    return channel.getState(false) == ConnectivityState.READY;
  }

  @Test
  void whatWasReadIsNotHeldUntilThePoolHasATurnForTheCallsEnd() throws Exception {
    int count = 2 * (int) FITTING;
    Calls calls = new Calls(new ProxyMetrics(new SimpleMeterRegistry()));
    ExecutorService pool = Executors.newSingleThreadExecutor();
    opened.add(pool);
    InTurn answers = new InTurn(calls);
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .executor(pool)
            .addService(answers)
            .addStreamTracerFactory(new CallTracer(calls.metrics()))
            .intercept(new UnreadAnswers(_ -> {}, UnreadAnswers.UNREAD_MAX))
            .build()
            .start();
    opened.add(server::shutdownNow);
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
    opened.add(channel::shutdownNow);
    BlockingQueue<Status.Code> ends = new LinkedBlockingQueue<>();
    for (int i = 0; i < count; i++) {
      JournalServiceGrpc.newStub(channel)
          .getJournal(
              GetJournalRequest.getDefaultInstance(),
              new StreamObserver<>() {
                @Override
                public void onNext(JournalEntry entry) {}

                @Override
                public void onError(Throwable failure) {
                  end(Status.fromThrowable(failure).getCode());
                }

                @Override
                public void onCompleted() {
                  end(Status.Code.OK);
                }

                private void end(Status.Code code) {
                  ends.add(code);
                  answers.turns.release();
                }
              });
    }
    Thread.sleep(500); // until all of them wait for the one thread
    answers.turns.release();
    for (int i = 0; i < count; i++) {
      assertThat(ends.poll(30, TimeUnit.SECONDS)).as("end of call %d", i).isEqualTo(Status.Code.OK);
    }
  }

  /// Answers when the one before was read.
  private static final class InTurn extends JournalServiceGrpc.JournalServiceImplBase {
    private final Calls calls;
    private final Semaphore turns = new Semaphore(0);

    InTurn(Calls calls) {
      this.calls = calls;
    }

    @Override
    public void getJournal(GetJournalRequest request, StreamObserver<JournalEntry> response) {
      turns.acquireUninterruptibly();
      calls.answer(response, () -> LongAnswers.ENTRY);
    }
  }

  private static final class LongAnswers extends JournalServiceGrpc.JournalServiceImplBase {
    private static final JournalEntry ENTRY =
        JournalEntry.newBuilder().setBody(ByteString.copyFrom(new byte[BODY_BYTES])).build();

    private final Calls calls;
    private final Semaphore given = new Semaphore(0);

    LongAnswers(Calls calls) {
      this.calls = calls;
    }

    @Override
    public void getJournal(GetJournalRequest request, StreamObserver<JournalEntry> response) {
      calls.answer(response, () -> ENTRY);
      given.release();
    }

    @Override
    public void getCheckpoint(
        GetCheckpointRequest request, StreamObserver<GetCheckpointResponse> response) {
      calls.answer(response, GetCheckpointResponse::getDefaultInstance);
    }
  }
}
