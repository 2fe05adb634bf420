package io.tallystick.wire;

import io.grpc.BindableService;
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
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeRead;
import io.tallystick.wire.ShardOwners.Owned;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The shards of a server, for those at the other end of a wire. What is wrong with a message is
/// answered and ends no connection. Thread-safe.
public final class NodeService implements BindableService, AutoCloseable {
  private static final int WALKS_MAX = 64;

  private final ShardOwners shards;
  private final Reverification reverification;
  private final WireSettings settings;
  private final Map<Integer, AtomicInteger> following = new ConcurrentHashMap<>();
  private final Set<ServerCallStreamObserver<byte[]>> watchers = ConcurrentHashMap.newKeySet();
  private volatile boolean leaving;
  private final ExecutorService verifying =
      Executors.newFixedThreadPool(
          Runtime.getRuntime().availableProcessors(),
          Thread.ofPlatform().name("wire-verify-", 0).daemon().factory());
  private final ExecutorService walking =
      Executors.newFixedThreadPool(
          WALKS_MAX, Thread.ofPlatform().name("wire-walk-", 0).daemon().factory());

  /// @param features what is switched on
  /// @param verifySingles whether the signatures of single appends are verified again
  public NodeService(
      ShardOwners shards,
      Signatures signatures,
      Set<Feature> features,
      boolean verifySingles,
      WireSettings settings) {
    this.shards = shards;
    this.reverification = new Reverification(signatures, features, verifySingles);
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
    return following.computeIfAbsent(shard, _ -> new AtomicInteger()).addAndGet(by);
  }

  @Override
  public ServerServiceDefinition bindService() {
    return ServerServiceDefinition.builder(NodeMethods.SERVICE)
        .addMethod(
            NodeMethods.STATUS,
            ServerCalls.asyncUnaryCall((frame, out) -> answer(out, statusOf(frame))))
        .addMethod(NodeMethods.ASK, ServerCalls.asyncUnaryCall(this::ask))
        .addMethod(NodeMethods.WALK, ServerCalls.asyncServerStreamingCall(this::walk))
        .addMethod(NodeMethods.WATCH, ServerCalls.asyncServerStreamingCall(this::watch))
        .addMethod(NodeMethods.APPEND, ServerCalls.asyncBidiStreamingCall(this::append))
        .build();
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

  private static WireMessage malformed(MalformedException e) {
    return new WireMessage.Refused(
        Refusal.of(RejectionCode.MALFORMED, String.valueOf(e.getMessage())));
  }

  private static void answer(StreamObserver<byte[]> out, WireMessage message) {
    byte[] frame = WireFrames.encode(message);
    if (frame.length > NodeMethods.MESSAGE_BYTES_MAX) {
      out.onNext(
          WireFrames.encode(
              new WireMessage.Refused(
                  Refusal.of(
                      RejectionCode.TOO_LARGE, "the answer has " + frame.length + " bytes"))));
    } else {
      out.onNext(frame);
    }
    out.onCompleted();
  }

  private void ask(byte[] frame, StreamObserver<byte[]> out) {
    answer(out, answerOf(frame));
  }

  private WireMessage answerOf(byte[] frame) {
    try {
      if (!(WireFrames.decode(frame) instanceof WireMessage.Question question)) {
        throw new MalformedException("no question");
      }
      LedgerNode node = owned(question.meant());
      NodeQuestions.Row row = NodeQuestions.TABLE.numbered(question.number());
      Object asked = WireFrames.value(row.question(), question.body());
      return new WireMessage.Answer(WireFrames.body(row.answer(), carriedOut(node, asked)));
    } catch (MalformedException e) {
      return malformed(e);
    } catch (NotMineException e) {
      return new WireMessage.Refused(e.refusal());
    } catch (RequestRejectedException e) {
      return new WireMessage.Refused(Refusal.of(e));
    }
  }

  private Object carriedOut(LedgerNode node, Object asked) throws RequestRejectedException {
    if (asked instanceof NodeRead<?> read) {
      return answered(node.ask(read));
    }
    if (asked instanceof NodeChange.Found found) {
      return node.change(new NodeChange.Found(reverification.verify(found.founding())));
    }
    return answered(node.change((NodeChange<?>) asked));
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
    watchers.add(watcher);
    watcher.onNext(new byte[0]);
    if (leaving) {
      endWatches();
    }
  }

  /// Tells whoever watches that the server goes.
  void endWatches() {
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
    verifying.shutdownNow();
    walking.shutdownNow();
  }

  /// The status of a call that ends without an answer.
  static Status unavailable(String why) {
    return Status.UNAVAILABLE.withDescription(why);
  }
}
