package io.tallystick.wire;

import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.FollowerDoor;
import io.tallystick.node.NodeRead;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// A server that follows shards, behind a wire. One that does not answer is left alone for a while:
/// there is an owner to ask. Thread-safe.
public final class FollowerStub implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  private final ManagedChannel channel;
  private final LeftAlone leftAlone = new LeftAlone(System::nanoTime);

  private final Duration deadline;

  private FollowerStub(ManagedChannel channel, Duration deadline) {
    this.channel = channel;
    this.deadline = deadline;
  }

  /// Connects when the first question is put.
  ///
  /// @throws IOException if bytes would cross a network in the clear, or a certificate is bad
  public static FollowerStub of(NodeStub.Target target) throws IOException {
    return of(target, DEADLINE);
  }

  static FollowerStub of(NodeStub.Target target, Duration deadline) throws IOException {
    return new FollowerStub(NodeStub.channel(target), deadline);
  }

  /// The door of a shard that the server follows; of one that it does not, it refuses all.
  public FollowerDoor shard(int number) {
    return new FollowerDoor() {
      @Override
      public <R> R ask(NodeRead<R> read, long frame) throws RequestRejectedException {
        return answered(number, read, frame);
      }
    };
  }

  @SuppressWarnings("unchecked") // the row's answer is what its question names
  private <R> R answered(int shard, NodeRead<R> read, long frame) throws RequestRejectedException {
    NodeQuestions.Row row = NodeQuestions.TABLE.of(read);
    byte[] asked =
        WireFrames.encode(
            new WireMessage.FollowerQuestion(
                shard, frame, row.number(), WireFrames.body(row.question(), read)));
    if (!leftAlone.mayAsk()) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "the follower did not answer just now");
    }
    // A client that gives up early says nothing of the follower, whom others ask, too.
    Context clients = Context.ROOT.attach();
    try {
      byte[] answer =
          ClientCalls.blockingUnaryCall(
              channel,
              NodeMethods.ASK,
              CallOptions.DEFAULT.withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS),
              asked);
      leftAlone.answered();
      return switch (WireFrames.decode(answer)) {
        case WireMessage.FollowerAnswer(var body) -> (R) WireFrames.value(row.answer(), body);
        case WireMessage.Refused(Refusal refusal) -> throw refusal.toException();
        default -> throw new MalformedException("no answer of a follower");
      };
    } catch (StatusRuntimeException e) {
      leftAlone.failed();
      throw unavailable(e.getStatus().toString(), e);
    } catch (MalformedException e) {
      throw unavailable("its answer cannot be read: " + e.getMessage(), e);
    } finally {
      Context.ROOT.detach(clients);
    }
  }

  private static RequestRejectedException unavailable(String why, Exception cause) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "the follower did not answer: " + why, cause);
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
