package io.tallystick.wire;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Appending;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LogRange;
import io.tallystick.node.LogVisitor;
import io.tallystick.node.Member;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.NodeRead;
import io.tallystick.node.ServiceIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/// A node behind a wire. A server that cannot be reached is `UNAVAILABLE`; whether a change or an
/// append that got no answer was carried out is unknown then, and the same bytes again find out.
public final class NodeStub implements LedgerNode {
  private static final long CLOSE_SECONDS = 5;

  private final ManagedChannel channel;
  private final WireSettings settings;
  private final int shard;
  private final LongSupplier epoch;
  private final LongConsumer notMine;
  private final ServerStanding standing;
  private final AppendLink appends;
  private final SeenMembers seen = new SeenMembers(System::nanoTime);

  private NodeStub(
      ManagedChannel channel,
      WireSettings settings,
      Shard of,
      WireMessage.Status first,
      long askedNanos) {
    this.channel = channel;
    this.settings = settings;
    this.shard = of.number();
    this.epoch = of.epoch();
    this.notMine = of.notMine();
    this.standing = new ServerStanding(this::status, first, askedNanos, settings.poll());
    this.appends = new AppendLink(this::call, this::meant, this::refused, seen::changed, settings);
  }

  /// Where a server is and as what it is called.
  ///
  /// @param tls empty: in the clear, to this machine's own processes
  /// @param own role of this process
  public record Target(InetSocketAddress address, Optional<WireTls> tls, WireRole own) {}

  /// Which shard it is.
  ///
  /// @param epoch in which whoever placed ledgers there believes the server to own it; 0: whichever
  /// @param notMine hears the server's epoch, 0 if it does not own the shard, when it refuses a
  ///   call for another: whoever placed ledgers there looks again
  public record Shard(int number, LongSupplier epoch, LongConsumer notMine) {}

  /// Connects, and waits until the server has said who it is.
  ///
  /// @throws IOException if it cannot be reached, or must not be so
  public static NodeStub connect(Target target, WireSettings settings, Shard shard)
      throws IOException {
    ManagedChannel channel = channel(target);
    try {
      long askedNanos = System.nanoTime();
      return new NodeStub(
          channel,
          settings,
          shard,
          status(channel, shard.number(), settings.deadline()),
          askedNanos);
    } catch (RequestRejectedException e) {
      channel.shutdownNow();
      throw new IOException("no server at " + target.address() + ": " + e.getMessage(), e);
    }
  }

  /// @throws IOException if bytes would cross a network in the clear, or a certificate is bad
  static ManagedChannel channel(Target target) throws IOException {
    NodeListener.checkClear(target.address(), target.tls());
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(target.address())
            .maxInboundMessageSize(NodeMethods.MESSAGE_BYTES_MAX)
            .keepAliveTime(NodeListener.KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .keepAliveTimeout(NodeListener.KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .disableRetry();
    if (target.tls().isPresent()) {
      builder.sslContext(target.tls().get().client(target.own()));
    } else {
      builder.usePlaintext();
    }
    return builder.build();
  }

  private static WireMessage.Status status(ManagedChannel channel, int shard, Duration deadline)
      throws RequestRejectedException {
    try {
      byte[] answer =
          ClientCalls.blockingUnaryCall(
              channel,
              NodeMethods.STATUS,
              CallOptions.DEFAULT.withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS),
              WireFrames.encode(new WireMessage.AskStatus(shard)));
      return switch (WireFrames.decode(answer)) {
        case WireMessage.Status status -> status;
        case WireMessage.Refused(Refusal refusal) -> throw refusal.toException();
        default -> throw new MalformedException("no status");
      };
    } catch (StatusRuntimeException e) {
      throw unanswered(e);
    } catch (MalformedException e) {
      throw garbled(e);
    }
  }

  private WireMessage.Status status() throws RequestRejectedException {
    return status(channel, shard, settings.deadline());
  }

  private static RequestRejectedException unanswered(StatusRuntimeException e) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "the server did not answer: " + e.getStatus(), e);
  }

  private static RequestRejectedException garbled(MalformedException e) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "the server's answer cannot be read: " + e.getMessage(), e);
  }

  private RequestRejectedException refused(Refusal refusal) {
    refusal.ownerEpoch().ifPresent(notMine);
    return refusal.toException();
  }

  @Override
  @SuppressWarnings("unchecked") // the row's answer is what its question names
  public <R> R ask(NodeRead<R> read) throws RequestRejectedException {
    return switch (read) {
      case LedgerRead.FindMember it -> (R) seen.member(it, () -> (Optional<Member>) answered(it));
      case LedgerRead.IsPublic it ->
          (R) Boolean.valueOf(seen.isPublic(it, () -> (Boolean) answered(it)));
      default -> (R) answered(read);
    };
  }

  @Override
  @SuppressWarnings("unchecked") // the row's answer is what its question names
  public <R> R change(NodeChange<R> change) throws RequestRejectedException {
    return (R) answered(change);
  }

  private Object answered(Object question) throws RequestRejectedException {
    NodeQuestions.Row row = NodeQuestions.TABLE.of(question);
    WireMessage.Question asked =
        new WireMessage.Question(meant(), row.number(), WireFrames.body(row.question(), question));
    try {
      byte[] answer =
          ClientCalls.blockingUnaryCall(
              channel, NodeMethods.ASK, options(deadline(question)), WireFrames.encode(asked));
      return switch (WireFrames.decode(answer)) {
        case WireMessage.Answer(var body) -> WireFrames.value(row.answer(), body);
        case WireMessage.Refused(Refusal refusal) -> throw refused(refusal);
        default -> throw new MalformedException("no answer");
      };
    } catch (StatusRuntimeException e) {
      throw unanswered(e);
    } catch (MalformedException e) {
      throw garbled(e);
    }
  }

  /// A snapshot is made of a walk over the log.
  private Duration deadline(Object question) {
    return question instanceof NodeChange.PrepareSnapshot
        ? settings.walkDeadline()
        : settings.deadline();
  }

  private static CallOptions options(Duration deadline) {
    return CallOptions.DEFAULT.withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS);
  }

  private WireMessage.Meant meant() {
    return new WireMessage.Meant(shard, epoch.getAsLong());
  }

  /// In which the server last said to own the shard.
  public long ownerEpoch() {
    return standing.newest().epoch();
  }

  private ClientCall<byte[], byte[]> call(MethodDescriptor<byte[], byte[]> method) {
    return channel.newCall(method, CallOptions.DEFAULT);
  }

  @Override
  public void append(List<Appending> submissions, int following) {
    appends.send(submissions, following);
  }

  @Override
  public void readLog(LogRange range, LogVisitor visitor) throws RequestRejectedException {
    Context.CancellableContext walk = Context.current().withCancellation();
    Context before = walk.attach();
    try {
      Iterator<byte[]> pieces =
          ClientCalls.blockingServerStreamingCall(
              channel,
              NodeMethods.WALK,
              options(settings.walkDeadline()),
              WireFrames.encode(new WireMessage.Walk(meant(), range)));
      visit(pieces, visitor);
    } catch (StatusRuntimeException e) {
      throw unanswered(e);
    } catch (MalformedException e) {
      throw garbled(e);
    } finally {
      walk.detach(before);
      walk.cancel(null);
    }
  }

  private void visit(Iterator<byte[]> pieces, LogVisitor visitor)
      throws RequestRejectedException, MalformedException {
    while (pieces.hasNext()) {
      switch (WireFrames.decode(pieces.next())) {
        case WireMessage.Leaves(var leaves) -> {
          for (WireMessage.Leaf each : leaves) {
            if (!visitor.leaf(
                each.jsn(),
                each.leaf(),
                each.attestation(),
                each.ops(),
                each.bodyState(),
                each.salt(),
                each.body())) {
              return;
            }
          }
        }
        case WireMessage.WalkEnd _ -> {
          return;
        }
        case WireMessage.Refused(Refusal refusal) -> throw refused(refusal);
        default -> throw new MalformedException("no leaves");
      }
    }
    throw new MalformedException("the walk was cut");
  }

  @Override
  public ServiceIdentity identity() {
    return standing.newest().identity();
  }

  @Override
  public long timeMs() {
    return standing.timeMs();
  }

  @Override
  public long clockMs() {
    return standing.clockMs();
  }

  @Override
  public NodeHealth health() {
    return standing.health();
  }

  /// Ends the connection; the server goes on.
  @Override
  public void close() {
    standing.close();
    appends.close();
    channel.shutdown();
    try {
      if (!channel.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        channel.shutdownNow();
      }
    } catch (InterruptedException _) {
      channel.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
