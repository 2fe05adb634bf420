package io.tallystick.wire;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.Appending;
import io.tallystick.node.LedgerNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One proxy's stream of submissions, at the server. A message is read when the bytes that are not
/// answered leave room for it and the proxy takes answers, so neither side piles up what the other
/// does not take. Thread-safe.
final class AppendServing implements StreamObserver<byte[]> {
  private static final int NO_SHARD = -1;

  /// What a submission costs beside the bytes of its requests.
  private static final long SUBMISSION_BYTES = 256;

  /// What a proxy may say is following: more hold up no block longer.
  private static final int FOLLOWING_MAX = 100_000;

  private final NodeService service;
  private final ServerCallStreamObserver<byte[]> answers;
  private final ShardPools verifying;
  private final long inFlightBytesMax;
  private long inFlightBytes;
  private int shard = NO_SHARD;
  private int lastFollowing;
  private boolean asked;
  private boolean completed;
  private boolean ended;

  AppendServing(
      NodeService service,
      ServerCallStreamObserver<byte[]> answers,
      ShardPools verifying,
      long inFlightBytesMax) {
    this.service = service;
    this.answers = answers;
    this.verifying = verifying;
    this.inFlightBytesMax = inFlightBytesMax;
  }

  void start() {
    answers.disableAutoRequest();
    answers.setOnReadyHandler(this::askForMore);
    answers.setOnCancelHandler(this::end);
    askForMore();
  }

  private synchronized void askForMore() {
    if (!asked && !ended && inFlightBytes < inFlightBytesMax && answers.isReady()) {
      asked = true;
      answers.request(1);
    }
  }

  @Override
  public void onNext(byte[] frame) {
    try {
      if (!(WireFrames.decode(frame) instanceof WireMessage.Appends appends)) {
        throw new MalformedException("no submissions");
      }
      taken(appends);
      try {
        LedgerNode _ = service.owned(appends.meant());
        int all = followed(appends.following());
        verifying.execute(appends.meant().shard(), () -> submit(appends, all));
      } catch (NotMineException e) {
        refuse(appends.submissions(), e.refusal());
      }
      askForMore();
    } catch (MalformedException e) {
      // Whose answer it would be cannot be known: all of this stream learn that theirs is unknown.
      synchronized (this) {
        if (!ended) {
          end();
          answers.onError(
              Status.INVALID_ARGUMENT.withDescription(e.getMessage()).asRuntimeException());
        }
      }
    }
  }

  private synchronized void taken(WireMessage.Appends appends) throws MalformedException {
    if (appends.meant().shard() < 0
        || appends.following() < 0
        || (shard != NO_SHARD && shard != appends.meant().shard())) {
      throw new MalformedException("submissions for shard " + appends.meant().shard());
    }
    asked = false;
    shard = appends.meant().shard();
    inFlightBytes += appends.submissions().stream().mapToLong(AppendServing::bytes).sum();
  }

  /// @return what all proxies say is following
  private synchronized int followed(int following) {
    int before = lastFollowing;
    lastFollowing = ended ? 0 : Math.min(following, FOLLOWING_MAX);
    return service.following(shard, lastFollowing - before);
  }

  private static long bytes(WireMessage.Submitted submitted) {
    long bytes = SUBMISSION_BYTES + submitted.attestation().size();
    for (var request : submitted.requests()) {
      bytes += request.sizeBytes();
    }
    return bytes;
  }

  /// Waits for a thread before that: meanwhile the shard may have gone, or the proxy.
  private void submit(WireMessage.Appends appends, int all) {
    try {
      submit(service.owned(appends.meant()), appends.submissions(), all);
    } catch (NotMineException e) {
      refuse(appends.submissions(), e.refusal());
    }
  }

  private void submit(LedgerNode node, List<WireMessage.Submitted> submissions, int all) {
    List<Appending> verified = new ArrayList<>(submissions.size());
    for (int i = 0; i < submissions.size(); i++) {
      if (hasEnded()) {
        return; // who sent them takes them for unknown
      }
      WireMessage.Submitted each = submissions.get(i);
      Waiter waiter = new Waiter(this, each, bytes(each));
      try {
        VerifiedSubmission checked = service.reverification().verify(node, each);
        verified.add(new Appending(checked, waiter));
      } catch (RequestRejectedException e) {
        if (e.code() == RejectionCode.UNAVAILABLE) {
          refuse(submissions.subList(i, submissions.size()), Refusal.of(e));
          break; // the next would learn the same, and wait for it as long
        }
        waiter.failed(e);
      } catch (Throwable e) { // whatever goes wrong must reach the one who waits
        waiter.failed(e);
      }
    }
    try {
      node.append(verified, all);
    } catch (Throwable e) {
      verified.forEach(each -> each.waiter().failed(e));
    }
  }

  private synchronized boolean hasEnded() {
    return ended;
  }

  private void refuse(List<WireMessage.Submitted> submissions, Refusal refusal) {
    for (WireMessage.Submitted each : submissions) {
      send(new WireMessage.Failed(each.id(), Optional.of(refusal), refusal.detail()), bytes(each));
    }
  }

  private void send(WireMessage message, long answeredBytes) {
    byte[] frame = WireFrames.encode(message);
    synchronized (this) {
      inFlightBytes -= answeredBytes;
      if (!ended) {
        answers.onNext(frame);
        completeIfDone();
      }
    }
    askForMore();
  }

  /// Once the proxy sends no more, and has all answers.
  private void completeIfDone() {
    if (completed && inFlightBytes == 0) {
      end();
      answers.onCompleted();
    }
  }

  /// One number of a stream is one stream here.
  private record Shared(AppendServing serving, long number) implements AppendWaiter.Stream {
    @Override
    public void receipted(AppendWaiter.ReceiptedRun run) {
      List<Long> ids = new ArrayList<>(run.waiters().size());
      long bytes = 0;
      for (AppendWaiter each : run.waiters()) {
        Waiter waiter = (Waiter) each;
        ids.add(waiter.submitted.id());
        bytes += waiter.bytes;
      }
      serving.send(new WireMessage.Receipts(ids, run.committed(), run.rangeReceipt()), bytes);
    }
  }

  private record Waiter(AppendServing serving, WireMessage.Submitted submitted, long bytes)
      implements AppendWaiter {
    @Override
    public Stream stream() {
      return new Shared(serving, submitted.stream());
    }

    @Override
    public boolean wantsCommitted() {
      return submitted.wantsCommitted();
    }

    @Override
    public void committed(Committed outcome) {
      serving.send(new WireMessage.Durable(submitted.id(), outcome), 0);
    }

    @Override
    public void failed(Throwable cause) {
      Optional<Refusal> refusal =
          cause instanceof RequestRejectedException rejected
              ? Optional.of(Refusal.of(rejected))
              : Optional.empty();
      serving.send(
          new WireMessage.Failed(submitted.id(), refusal, String.valueOf(cause.getMessage())),
          bytes);
    }
  }

  private synchronized void end() {
    if (!ended) {
      ended = true;
      if (shard != NO_SHARD) {
        int _ = service.following(shard, -lastFollowing);
        lastFollowing = 0;
      }
    }
  }

  @Override
  public void onError(@Nullable Throwable cause) {
    end();
  }

  /// The proxy sends no more; what it has sent is answered, if it waits.
  @Override
  public synchronized void onCompleted() {
    completed = true;
    if (!ended) {
      completeIfDone();
    }
  }
}
