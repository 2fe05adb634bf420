package io.tallystick.client;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.*;
import io.tallystick.evidence.KeyChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A service of one thread on loopback, that can be told to misbehave. It checks nothing a client
/// sends: the client is what is tested.
final class FakeService implements AutoCloseable {
  final Map<Bytes, FakeLedger> ledgers = new HashMap<>();
  final AtomicInteger submissions = new AtomicInteger();
  final AtomicInteger messages = new AtomicInteger();
  final AtomicInteger consistencyProofs = new AtomicInteger();

  /// Problems to answer before anything is committed, one per submission.
  final Queue<Problem> refusals = new ArrayDeque<>();

  /// The next so many submissions are committed, but the stream breaks instead of the answer.
  int breaksAfterCommit;

  /// What the repeat after such a break is answered with, instead of the original receipt.
  @Nullable Problem refusalAfterBreak;

  /// The next so many submissions are swallowed: no answer, no commit.
  int silences;

  /// The next so many foundings are done, but fail instead of being answered.
  int failsAfterFounding;

  /// Failures of unary calls before they succeed.
  final Queue<Status> failures = new ArrayDeque<>();

  UnaryOperator<Receipted> tampering = UnaryOperator.identity();

  /// Whether it commits packed submissions together and answers them under one receipt.
  boolean packs;

  /// Answers that share a receipt, in order, into messages.
  Function<List<AppendResponse>, List<AppendResponse>> packTampering = FakeService::packed;

  UnaryOperator<Deferred> promiseTampering = UnaryOperator.identity();
  UnaryOperator<JournalEntry> entryTampering = UnaryOperator.identity();
  UnaryOperator<Erasure> erasureTampering = UnaryOperator.identity();

  /// The answers about several journals, in the order asked for.
  UnaryOperator<List<JournalAnswer>> answersTampering = UnaryOperator.identity();

  /// Left out of the list of members.
  @Nullable Digest hiddenMember;

  UnaryOperator<Member> memberTampering = UnaryOperator.identity();

  /// So many of them are in a message.
  int answersMax = Integer.MAX_VALUE;

  UnaryOperator<ConsistencyProof> consistencyTampering = UnaryOperator.identity();

  RequestedTime requestedTime = RequestedTime.getDefaultInstance();

  /// What it shows for a key chain.
  KeyChain keyChain = KeyChain.EMPTY;

  final FakeClues clues = new FakeClues(this);
  final FakeStates states = new FakeStates(this);
  long clockOffsetMs;

  /// Size of the checkpoint it calls newest; 0 for the truth.
  int shownSize;

  /// What it shows as the newest cosigned checkpoint.
  Function<FakeLedger, Bytes> cosigned = ledger -> ledger.checkpoint(ledger.size());

  private final Server server;
  private final int port;

  FakeService() {
    try {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .addService(new Ledgers())
              .addService(new Journals())
              .addService(clues)
              .addService(states)
              .maxInboundMessageSize(8 << 20)
              .build()
              .start();
      port = server.getPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String target() {
    return "127.0.0.1:" + port;
  }

  synchronized FakeLedger ledger(LedgerId id) {
    FakeLedger ledger = ledgers.get(id.digest().toBytes());
    if (ledger == null) {
      throw problem(Problem.newBuilder().setCode("unknown_ledger").setHttpStatus(404).build());
    }
    return ledger;
  }

  /// Takes over another service's ledgers as they stand now.
  synchronized void copyFrom(FakeService other) {
    other.ledgers.forEach((id, ledger) -> ledgers.put(id, ledger.copy()));
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  static Problem problem(String code, boolean retryable) {
    return Problem.newBuilder().setCode(code).setDetail("for test").setRetryable(retryable).build();
  }

  static StatusRuntimeException problem(Problem problem) {
    Metadata trailers = new Metadata();
    trailers.put(ProblemTrailer.KEY, problem);
    return Status.NOT_FOUND.asRuntimeException(trailers);
  }

  private long now() {
    return System.currentTimeMillis() + clockOffsetMs;
  }

  FakeLedger ledger(ByteString id) {
    return ledger(new LedgerId(Digest.of(id.toByteArray())));
  }

  interface Answer<R> {
    R give();
  }

  synchronized <R> void answer(StreamObserver<R> out, Answer<R> answer) {
    try {
      Status failure = failures.poll();
      if (failure != null) {
        throw failure.asRuntimeException();
      }
      R value = answer.give();
      out.onNext(value);
      out.onCompleted();
    } catch (RuntimeException e) {
      out.onError(e);
    }
  }

  private static ByteString wire(Bytes bytes) {
    return ByteString.copyFrom(bytes.toArray());
  }

  private static ByteString wire(Digest digest) {
    return ByteString.copyFrom(digest.toArray());
  }

  private static Bytes bytes(ByteString value) {
    return Bytes.wrap(value.toByteArray());
  }

  private static List<ByteString> wire(List<Digest> digests) {
    return digests.stream().map(FakeService::wire).toList();
  }

  private final class Ledgers extends LedgerServiceGrpc.LedgerServiceImplBase {
    @Override
    public void getServiceDescription(
        GetServiceDescriptionRequest request, StreamObserver<ServiceDescription> out) {
      answer(
          out,
          () ->
              ServiceDescription.newBuilder()
                  .setAuthority("localhost")
                  .setNoteKeySpki(wire(Fixtures.NOTE.publicKey().spki()))
                  .setReceiptKeySpki(wire(Fixtures.RECEIPT.publicKey().spki()))
                  .setTimeMs(now())
                  .setDefaultWindowMs(60_000)
                  .setVersion("fake")
                  .build());
    }

    @Override
    public void createLedger(
        CreateLedgerRequest request, StreamObserver<CreateLedgerResponse> out) {
      answer(
          out,
          () -> {
            try {
              FakeLedger made =
                  new FakeLedger(
                      io.tallystick.journal.GenesisParams.decode(bytes(request.getGenesisParams())),
                      bytes(request.getAttestation()),
                      now());
              Bytes id = made.params.ledgerId().digest().toBytes();
              FakeLedger ledger = ledgers.computeIfAbsent(id, unused -> made);
              if (failsAfterFounding > 0) {
                failsAfterFounding--;
                throw Status.INTERNAL.asRuntimeException();
              }
              return CreateLedgerResponse.newBuilder()
                  .setLedger(FakeMembers.show(ledger))
                  .setGenesisLeaf(wire(ledger.entries.getFirst().leaf()))
                  .setGenesisReceipt(wire(ledger.receipt(0).encode()))
                  .build();
            } catch (io.tallystick.model.MalformedException e) {
              throw new IllegalArgumentException(e);
            }
          });
    }

    @Override
    public void getLedger(GetLedgerRequest request, StreamObserver<Ledger> out) {
      answer(out, () -> FakeMembers.show(ledger(request.getLedgerId())));
    }

    @Override
    public void listLedgers(ListLedgersRequest request, StreamObserver<ListLedgersResponse> out) {
      answer(out, () -> FakeMembers.list(ledgers.values()));
    }

    @Override
    public void listMembers(ListMembersRequest request, StreamObserver<ListMembersResponse> out) {
      answer(
          out,
          () -> FakeMembers.list(ledger(request.getLedgerId()), hiddenMember, memberTampering));
    }
  }

  /// One message of them all.
  static List<AppendResponse> packed(List<AppendResponse> answers) {
    return List.of(
        answers.getFirst().toBuilder().addAllMore(answers.subList(1, answers.size())).build());
  }

  private final class Journals extends FakeErasures {
    Journals() {
      super(FakeService.this);
    }

    @Override
    public StreamObserver<AppendRequest> append(StreamObserver<AppendResponse> out) {
      return new StreamObserver<>() {
        @Override
        public void onNext(AppendRequest request) {
          synchronized (FakeService.this) {
            messages.incrementAndGet();
            if (packs && request.getMoreCount() > 0) {
              appendedTogether(request, out);
            } else {
              appended(request, out);
              request.getMoreList().forEach(further -> appended(further, out));
            }
          }
        }

        @Override
        public void onError(Throwable t) {}

        @Override
        public void onCompleted() {
          out.onCompleted();
        }
      };
    }

    /// All in one block, under one receipt, in one message.
    private void appendedTogether(AppendRequest message, StreamObserver<AppendResponse> out) {
      List<AppendRequest> all = new ArrayList<>(List.of(message));
      all.addAll(message.getMoreList());
      submissions.addAndGet(all.size());
      FakeLedger ledger = ledger(message.getLedgerId());
      List<FakeLedger.Committed> committed =
          ledger.appendTogether(
              all.stream()
                  .map(each ->
                      new Submission(FakeJournals.requests(each), bytes(each.getAttestation())))
                  .toList(),
              now());
      int count = committed.stream().mapToInt(FakeLedger.Committed::count).sum();
      FakeLedger.Committed run =
          new FakeLedger.Committed(committed.getFirst().firstJsn(), count, now());
      List<AppendResponse> answers = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        Receipted.Builder receipted =
            Receipted.newBuilder()
                .setFirstJsn(committed.get(i).firstJsn())
                .setCount(committed.get(i).count())
                .setTimeMs(committed.get(i).timeMs());
        if (i == 0) {
          receipted.setRangeReceipt(wire(ledger.rangeReceipt(run).encode()));
        }
        answers.add(
            AppendResponse.newBuilder().setId(all.get(i).getId()).setReceipted(receipted).build());
      }
      packTampering.apply(answers).forEach(out::onNext);
    }

    private void appended(AppendRequest request, StreamObserver<AppendResponse> out) {
      submissions.incrementAndGet();
      AppendResponse.Builder answer = AppendResponse.newBuilder().setId(request.getId());
      if (silences > 0) {
        silences--;
        return;
      }
      Problem refusal = refusals.poll();
      if (refusal != null) {
        out.onNext(answer.setProblem(refusal).build());
        return;
      }
      FakeLedger ledger = ledger(request.getLedgerId());
      boolean repeated = ledger.seen.containsKey(bytes(request.getAttestation()));
      FakeLedger.Committed committed =
          ledger.append(FakeJournals.requests(request), bytes(request.getAttestation()), now());
      if (breaksAfterCommit > 0) {
        breaksAfterCommit--;
        if (refusalAfterBreak != null) {
          refusals.add(refusalAfterBreak);
        }
        out.onError(Status.UNAVAILABLE.withDescription("broken for test").asRuntimeException());
        return;
      }
      if (request.getMode() == AppendRequest.Mode.DEFERRED) {
        answer.setDeferred(
            promiseTampering.apply(
                Deferred.newBuilder()
                    .setFirstJsn(committed.firstJsn())
                    .setCount(committed.count())
                    .setTimeMs(committed.timeMs())
                    .build()));
      } else {
        answer.setReceipted(
            tampering.apply(
                Receipted.newBuilder()
                    .setFirstJsn(committed.firstJsn())
                    .setCount(committed.count())
                    .setTimeMs(committed.timeMs())
                    .setRepeated(repeated)
                    .setRangeReceipt(wire(ledger.rangeReceipt(committed).encode()))
                    .build()));
      }
      out.onNext(answer.build());
    }

    @Override
    public void getJournal(GetJournalRequest request, StreamObserver<JournalEntry> out) {
      answer(
          out,
          () -> {
            FakeLedger ledger = ledger(request.getLedgerId());
            return entryTampering.apply(
                FakeJournals.proven(ledger, request.getJsn(), request.getSize()));
          });
    }

    @Override
    public void getJournals(GetJournalsRequest request, StreamObserver<GetJournalsResponse> out) {
      answer(
          out,
          () -> {
            FakeLedger ledger = ledger(request.getLedgerId());
            List<JournalAnswer> answers = FakeJournals.answers(ledger, request, answersMax);
            return GetJournalsResponse.newBuilder()
                .addAllAnswers(answersTampering.apply(answers))
                .build();
          });
    }

    @Override
    public void listJournals(
        ListJournalsRequest request, StreamObserver<ListJournalsResponse> out) {
      answer(
          out,
          () -> {
            FakeLedger ledger = ledger(request.getLedgerId());
            ListJournalsResponse.Builder page = ListJournalsResponse.newBuilder();
            long end = Math.min(ledger.size(), request.getFromJsn() + request.getLimit());
            for (long jsn = request.getFromJsn(); jsn < end; jsn++) {
              page.addJournals(entryTampering.apply(FakeJournals.entry(ledger, jsn)));
            }
            if (end < ledger.size()) {
              page.setNextFromJsn(end);
            }
            return page.build();
          });
    }

    @Override
    public void getKeyChain(GetKeyChainRequest request, StreamObserver<GetKeyChainResponse> out) {
      answer(
          out, () -> GetKeyChainResponse.newBuilder().setKeyChain(wire(keyChain.encode())).build());
    }

    @Override
    public void requestTime(RequestTimeRequest request, StreamObserver<RequestedTime> out) {
      answer(out, () -> requestedTime);
    }

    @Override
    public void getInclusionProof(
        GetInclusionProofRequest request, StreamObserver<InclusionProof> out) {
      answer(
          out,
          () ->
              InclusionProof.newBuilder()
                  .addAllPath(
                      wire(
                          ledger(request.getLedgerId())
                              .tree()
                              .inclusionPath((int) request.getJsn(), (int) request.getSize())))
                  .build());
    }

    @Override
    public void getConsistencyProof(
        GetConsistencyProofRequest request, StreamObserver<ConsistencyProof> out) {
      consistencyProofs.incrementAndGet();
      answer(
          out,
          () -> {
            FakeLedger ledger = ledger(request.getLedgerId());
            if (request.getToSize() > ledger.size()) {
              throw problem(problem("future_size", false));
            }
            return consistencyTampering.apply(
                ConsistencyProof.newBuilder()
                    .setFromSize(request.getFromSize())
                    .setToSize(request.getToSize())
                    .addAllPath(
                        wire(
                            ledger
                                .tree()
                                .consistencyPath(
                                    (int) request.getFromSize(), (int) request.getToSize())))
                    .build());
          });
    }

    @Override
    public void getBlock(GetBlockRequest request, StreamObserver<Block> out) {
      answer(
          out,
          () -> {
            FakeLedger ledger = ledger(request.getLedgerId());
            int seal =
                switch (request.getWhichCase()) {
                  case HEIGHT -> ledger.seals.get((int) request.getHeight());
                  case JSN -> ledger.headSize(request.getJsn()) - 1;
                  case LATEST, WHICH_NOT_SET -> ledger.seals.getLast();
                };
            return Block.newBuilder()
                .setSealJsn(seal)
                .setSealLeaf(wire(ledger.entries.get(seal).leaf()))
                .setHeadReceipt(wire(ledger.receipt(seal).encode()))
                .build();
          });
    }

    @Override
    public void getCheckpoint(
        GetCheckpointRequest request, StreamObserver<GetCheckpointResponse> out) {
      answer(
          out,
          () -> {
            FakeLedger ledger = ledger(request.getLedgerId());
            int size = shownSize == 0 ? ledger.size() : shownSize;
            Bytes note = request.getCosigned() ? cosigned.apply(ledger) : ledger.checkpoint(size);
            return GetCheckpointResponse.newBuilder().setNote(wire(note)).build();
          });
    }
  }
}
