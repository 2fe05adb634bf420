package io.tallystick.wire;

import io.grpc.BindableService;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.tallystick.crypto.Signatures;
import io.tallystick.journal.Feature;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.FollowerDoor;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.MemberTokens;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeRead;
import io.tallystick.wire.ShardOwners.Owned;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The shards of a server, for those at the other end of a wire. What is wrong with a message is
/// answered and ends no connection. Thread-safe.
public final class NodeService implements BindableService, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeService.class);
  private static final int WALKS_MAX = 64;

  /// Questions to a shard that are answered at a time, and that wait.
  private static final int ASKING_MAX = 32;

  private static final int ASKED_MAX = 1024;

  /// Changes wait for a write, which may take long: they have threads beside those of reads.
  private static final int CHANGING_MAX = 16;

  /// Heads for a T-Ledger that are checked at a time, and that wait for it. Strangers bring them:
  /// they take no thread of what members and masters ask, and none while they wait for a block.
  private static final int SUBMITTING_MAX = 4;

  private static final int SUBMITTED_MAX = 256;

  private final ShardOwners shards;
  private final Reverification reverification;
  private final SignedChanges signedChanges;
  private final WireSettings settings;
  private final Map<Integer, Integer> following = new ConcurrentHashMap<>();
  private final Set<ServerCallStreamObserver<byte[]>> watchers = ConcurrentHashMap.newKeySet();
  private volatile boolean leaving;
  private final ShardPools verifying =
      new ShardPools("wire-verify-", Runtime.getRuntime().availableProcessors(), Integer.MAX_VALUE);
  private final ShardPools asking = new ShardPools("wire-ask-", ASKING_MAX, ASKED_MAX);
  private final ShardPools changing = new ShardPools("wire-change-", CHANGING_MAX, ASKED_MAX);
  private final ShardPools submitting =
      new ShardPools("wire-submit-", SUBMITTING_MAX, SUBMITTED_MAX);
  private final ExecutorService walking =
      Executors.newFixedThreadPool(
          WALKS_MAX, Thread.ofPlatform().name("wire-walk-", 0).daemon().factory());

  /// @param features what is switched on
  /// @param verifySingles whether the signatures of single appends are verified again
  /// @param tokens verifies those of members that withdraw and erase
  public NodeService(
      ShardOwners shards,
      Signatures signatures,
      Set<Feature> features,
      boolean verifySingles,
      MemberTokens tokens,
      WireSettings settings) {
    this.shards = shards;
    this.reverification = new Reverification(signatures, features, verifySingles);
    this.signedChanges = new SignedChanges(signatures, tokens);
    this.settings = settings;
  }

  Reverification reverification() {
    return reverification;
  }

  /// The node of the shard that is meant.
  LedgerNode owned(WireMessage.Meant meant) throws NotMineException {
    Owned owned =
        shards
            .shard(meant.shard())
            .orElseThrow(() -> new NotMineException(Refusal.notMine(meant, 0)));
    if (meant.epoch() != 0 && meant.epoch() != owned.epoch()) {
      throw new NotMineException(Refusal.notMine(meant, owned.epoch()));
    }
    return owned.node();
  }

  /// Changes the sum of what all proxies say is following for a shard.
  ///
  /// @return the sum
  int following(int shard, int by) {
    Integer sum =
        following.compute(
            shard,
            (_, before) -> {
              int after = (before == null ? 0 : before) + by;
              return after == 0 ? null : after; // nothing is kept of a shard that nobody names
            });
    return sum == null ? 0 : sum;
  }

  @Override
  public ServerServiceDefinition bindService() {
    ServerServiceDefinition methods =
        ServerServiceDefinition.builder(NodeMethods.SERVICE)
            .addMethod(
                NodeMethods.STATUS,
                ServerCalls.asyncUnaryCall((frame, out) -> answer(out, statusOf(frame))))
            .addMethod(NodeMethods.ASK, ServerCalls.asyncUnaryCall(this::ask))
            .addMethod(NodeMethods.WALK, ServerCalls.asyncServerStreamingCall(this::walk))
            .addMethod(NodeMethods.WATCH, ServerCalls.asyncServerStreamingCall(this::watch))
            .addMethod(NodeMethods.APPEND, ServerCalls.asyncBidiStreamingCall(this::append))
            .build();
    return ServerInterceptors.intercept(methods, new CallerRoles());
  }

  private WireMessage statusOf(byte[] frame) {
    try {
      if (!(WireFrames.decode(frame) instanceof WireMessage.AskStatus(int shard))) {
        throw new MalformedException("no question for a status");
      }
      Optional<Owned> owned = shards.shard(shard);
      if (owned.isEmpty()) {
        return new WireMessage.Refused(Refusal.notMine(new WireMessage.Meant(shard, 0), 0));
      }
      LedgerNode node = owned.get().node();
      return new WireMessage.Status(
          node.identity(), node.timeMs(), node.clockMs(), node.health(), owned.get().epoch());
    } catch (MalformedException e) {
      return malformed(e);
    }
  }

  /// The two processes do not understand each other: no fault of the client's, whose request the
  /// proxy has read.
  private static WireMessage malformed(MalformedException e) {
    return unanswerable("the server cannot read a message: " + e.getMessage());
  }

  private static WireMessage unanswerable(String why) {
    return new WireMessage.Refused(Refusal.of(RejectionCode.UNAVAILABLE, why));
  }

  private static void answer(StreamObserver<byte[]> out, WireMessage message) {
    byte[] frame = WireFrames.encode(message);
    if (frame.length > NodeMethods.MESSAGE_BYTES_MAX) {
      out.onNext(WireFrames.encode(unanswerable("the answer has " + frame.length + " bytes")));
    } else {
      out.onNext(frame);
    }
    out.onCompleted();
  }

  /// On a thread of the shard's.
  private void ask(byte[] frame, StreamObserver<byte[]> out) {
    ServerCallStreamObserver<byte[]> answers = (ServerCallStreamObserver<byte[]>) out;
    answers.setOnCancelHandler(() -> {}); // else an answer that comes too late is an exception
    try {
      switch (WireFrames.decode(frame)) {
        case WireMessage.Question question -> askOwner(answers, question);
        case WireMessage.FollowerQuestion question -> askFollower(answers, question);
        default -> throw new MalformedException("no question");
      }
    } catch (MalformedException e) {
      answer(out, malformed(e));
    } catch (NotMineException e) {
      answer(out, new WireMessage.Refused(e.refusal()));
    } catch (RejectedExecutionException _) {
      answer(out, unanswerable("too many questions wait for the shard"));
    }
  }

  private void askOwner(ServerCallStreamObserver<byte[]> answers, WireMessage.Question question)
      throws MalformedException, NotMineException {
    LedgerNode _ = owned(question.meant());
    Optional<WireRole> caller = CallerRoles.caller();
    NodeQuestions.Row row = NodeQuestions.TABLE.numbered(question.number());
    ShardPools pool = row.isSubmission() ? submitting : row.isChange() ? changing : asking;
    pool.execute(
        question.meant().shard(), () -> answerAsked(answers, () -> answerOf(question, caller)));
  }

  private void askFollower(
      ServerCallStreamObserver<byte[]> answers, WireMessage.FollowerQuestion question)
      throws NotMineException {
    FollowerDoor _ = followed(question.shard());
    asking.execute(
        question.shard(), () -> answerAsked(answers, () -> completed(answerOf(question))));
  }

  private FollowerDoor followed(int shard) throws NotMineException {
    return shards
        .followed(shard)
        .orElseThrow(
            () -> new NotMineException(Refusal.notMine(new WireMessage.Meant(shard, 0), 0)));
  }

  private static void answerAsked(
      ServerCallStreamObserver<byte[]> answers, Supplier<CompletableFuture<WireMessage>> answered) {
    if (answers.isCancelled()) {
      return; // nobody waits for it
    }
    try {
      CompletableFuture<?> _ =
          answered
              .get()
              .thenAccept(message -> answer(answers, message))
              .whenComplete((_, failure) -> {
                if (failure != null) {
                  failed(answers, cause(failure));
                }
              });
    } catch (RuntimeException | Error e) {
      failed(answers, e);
      throw e;
    }
  }

  private static void failed(ServerCallStreamObserver<byte[]> answers, Throwable failure) {
    LOG.error("an answer failed", failure);
    answers.onError(unavailable("the answer failed: " + failure).asRuntimeException());
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException it && it.getCause() != null
        ? it.getCause()
        : failure;
  }

  private static CompletableFuture<WireMessage> completed(WireMessage message) {
    return CompletableFuture.completedFuture(message);
  }

  private CompletableFuture<WireMessage> answerOf(
      WireMessage.Question question, Optional<WireRole> caller) {
    try {
      LedgerNode node = owned(question.meant());
      NodeQuestions.Row row = NodeQuestions.TABLE.numbered(question.number());
      Object asked = WireFrames.value(row.question(), question.body());
      if (asked instanceof NodeChange<?> change) {
        checkRole(change, caller);
      }
      return carriedOut(node, asked).handle((answer, failure) -> told(row, answer, failure));
    } catch (MalformedException e) {
      return completed(malformed(e));
    } catch (NotMineException e) {
      return completed(new WireMessage.Refused(e.refusal()));
    } catch (RequestRejectedException e) {
      return completed(new WireMessage.Refused(Refusal.of(e)));
    }
  }

  private static WireMessage told(
      NodeQuestions.Row row, @Nullable Object answer, @Nullable Throwable failure) {
    if (failure == null) {
      return new WireMessage.Answer(WireFrames.body(row.answer(), answered(answer)));
    }
    if (cause(failure) instanceof RequestRejectedException refused) {
      return new WireMessage.Refused(Refusal.of(refused));
    }
    throw new CompletionException(failure);
  }

  private WireMessage answerOf(WireMessage.FollowerQuestion question) {
    try {
      NodeQuestions.Row row = NodeQuestions.TABLE.numbered(question.number());
      if (!(WireFrames.value(row.question(), question.body()) instanceof NodeRead<?> read)) {
        throw new MalformedException("a follower changes nothing");
      }
      Object answer = answered(followed(question.shard()).ask(read, question.frame()));
      return new WireMessage.FollowerAnswer(WireFrames.body(row.answer(), answer));
    } catch (MalformedException e) {
      return malformed(e);
    } catch (NotMineException e) {
      return new WireMessage.Refused(e.refusal());
    } catch (RequestRejectedException e) {
      return new WireMessage.Refused(Refusal.of(e));
    }
  }

  private static void checkRole(NodeChange<?> change, Optional<WireRole> caller)
      throws RequestRejectedException {
    if (isForMasters(change) && caller.isPresent() && caller.get() != WireRole.MASTER) {
      throw new RequestRejectedException(
          RejectionCode.ROLE_NOT_ALLOWED, "a master's to ask for, and not a proxy's");
    }
  }

  /// Changes that no member asks for and nobody signs: they sign a time in the service's name, end
  /// the appends of a ledger, and drop what is over.
  private static boolean isForMasters(NodeChange<?> change) {
    return switch (change) {
      case NodeChange.AppendTime _,
          NodeChange.MakeReadOnly _,
          NodeChange.LiftReadOnly _,
          NodeChange.NoTime _,
          NodeChange.ShowCosigned _,
          NodeChange.DropGoneProposals _,
          NodeChange.DropExpiredCertificates _ ->
          true;
      case NodeChange.Found _,
          NodeChange.WantTime _,
          NodeChange.SubmitHead _,
          NodeChange.ReplaceProposal _,
          NodeChange.RemoveProposal _,
          NodeChange.KeepAnchor _,
          NodeChange.ShowCertificates _,
          NodeChange.EraseCertificates _,
          NodeChange.PrepareSnapshot _ ->
          false;
    };
  }

  private CompletableFuture<?> carriedOut(LedgerNode node, Object asked)
      throws RequestRejectedException {
    if (asked instanceof NodeRead<?> read) {
      return CompletableFuture.completedFuture(node.ask(read));
    }
    if (asked instanceof NodeChange.Found found) {
      return node.changeLater(new NodeChange.Found(reverification.verify(found.founding())));
    }
    NodeChange<?> change = (NodeChange<?>) asked;
    signedChanges.check(node, change);
    return node.changeLater(change);
  }

  private static Object answered(@Nullable Object answer) {
    if (answer == null) {
      throw new AssertionError("a node answered nothing");
    }
    return answer;
  }

  private void walk(byte[] frame, StreamObserver<byte[]> out) {
    ServerCallStreamObserver<byte[]> answers = (ServerCallStreamObserver<byte[]>) out;
    try {
      if (!(WireFrames.decode(frame) instanceof WireMessage.Walk walk)) {
        throw new MalformedException("no walk");
      }
      LedgerNode node = owned(walk.meant());
      WalkServing serving = new WalkServing(answers);
      // gRPC tells a call of room and of its end on the thread that this one would hold.
      walking.execute(() -> serving.run(node, walk.range()));
    } catch (MalformedException e) {
      answer(out, malformed(e));
    } catch (NotMineException e) {
      answer(out, new WireMessage.Refused(e.refusal()));
    }
  }

  private void watch(byte[] nothing, StreamObserver<byte[]> out) {
    ServerCallStreamObserver<byte[]> watcher = (ServerCallStreamObserver<byte[]>) out;
    watcher.setOnCancelHandler(() -> watchers.remove(watcher));
    if (leaving) {
      watcher.onError(unavailable("the server leaves").asRuntimeException());
      return;
    }
    watchers.add(watcher);
    watcher.onNext(new byte[0]);
    if (leaving) {
      endWatches();
    }
  }

  /// Tells whoever watches that the server goes; nobody can watch it any more.
  public void endWatches() {
    leaving = true;
    for (ServerCallStreamObserver<byte[]> watcher : List.copyOf(watchers)) {
      if (watchers.remove(watcher)) {
        watcher.onCompleted();
      }
    }
  }

  private StreamObserver<byte[]> append(StreamObserver<byte[]> out) {
    AppendServing serving =
        new AppendServing(
            this, (ServerCallStreamObserver<byte[]>) out, verifying, settings.inFlightBytes());
    serving.start();
    return serving;
  }

  /// Ends what is under way; the nodes stay the caller's.
  @Override
  public void close() {
    verifying.close();
    asking.close();
    changing.close();
    submitting.close();
    walking.shutdownNow();
  }

  /// The status of a call that ends without an answer.
  static Status unavailable(String why) {
    return Status.UNAVAILABLE.withDescription(why);
  }
}
