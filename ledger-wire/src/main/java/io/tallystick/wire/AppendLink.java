package io.tallystick.wire;

import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.Appending;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The appends of a stub, over one stream to the server: answers come in any order and name their
/// submission. When the stream breaks, the outcome of what is not answered is unknown, and the next
/// append opens another. Thread-safe.
final class AppendLink implements AutoCloseable {
  /// A message ends with the submission that reaches it.
  private static final long MESSAGE_BYTES = 1 << 20;

  private final Function<MethodDescriptor<byte[], byte[]>, ClientCall<byte[], byte[]>> calls;
  private final Supplier<WireMessage.Meant> meant;
  private final Function<Refusal, RequestRejectedException> refusals;
  private final Runnable governed;
  private final long inFlightBytesMax;
  private long nextId;
  private long nextStream;
  private @Nullable Link link;
  private boolean closed;

  /// @param governed told before a waiter is that what governs a ledger is there
  AppendLink(
      Function<MethodDescriptor<byte[], byte[]>, ClientCall<byte[], byte[]>> calls,
      Supplier<WireMessage.Meant> meant,
      Function<Refusal, RequestRejectedException> refusals,
      Runnable governed,
      WireSettings settings) {
    this.calls = calls;
    this.meant = meant;
    this.refusals = refusals;
    this.governed = governed;
    this.inFlightBytesMax = settings.inFlightBytes();
  }

  /// One that is not answered.
  private record Pending(
      AppendWaiter waiter, AppendWaiter.Stream stream, boolean governs, long bytes) {}

  /// A stream of waiters, and how many of it are not answered.
  private static final class Numbered {
    private final long number;
    private int pending;

    Numbered(long number) {
      this.number = number;
    }
  }

  void send(List<Appending> submissions, int following) {
    List<AppendWaiter> refused = new ArrayList<>();
    List<Pending> lost = new ArrayList<>();
    boolean ended;
    synchronized (this) {
      ended = closed;
      if (ended) {
        submissions.forEach(each -> refused.add(each.waiter()));
      } else {
        Link now = link == null ? open() : link;
        try {
          now.send(submissions, following, refused);
        } catch (RuntimeException e) { // of a call that is over
          lost.addAll(now.broken());
        }
      }
    }
    refused.forEach(each -> each.failed(ended ? closed() : tooMuch()));
    lose(lost, "the stream to the server is over");
  }

  private static RequestRejectedException closed() {
    return new RequestRejectedException(RejectionCode.UNAVAILABLE, "the connection is closed");
  }

  private RequestRejectedException tooMuch() {
    return new RequestRejectedException(
            RejectionCode.RATE_LIMITED,
            inFlightBytesMax + " bytes wait for the server's answers; try again later")
        .withLimit(inFlightBytesMax);
  }

  private static void lose(List<Pending> pending, String why) {
    for (Pending each : pending) {
      each.waiter.failed(new IOException("the outcome is unknown: " + why));
    }
  }

  private Link open() {
    Link opened = new Link();
    link = opened;
    opened.requests = ClientCalls.asyncBidiStreamingCall(calls.apply(NodeMethods.APPEND), opened);
    return opened;
  }

  /// One stream to the server. Its state is guarded by the outer lock; waiters are told outside.
  private final class Link implements StreamObserver<byte[]> {
    private final Map<Long, Pending> pending = new HashMap<>();
    private final Map<AppendWaiter.Stream, Numbered> streams = new HashMap<>();
    private @Nullable StreamObserver<byte[]> requests;
    private long bytes;

    /// All of them wait before the first is sent: if that fails, it fails for all.
    private void send(List<Appending> submissions, int following, List<AppendWaiter> refused) {
      List<List<WireMessage.Submitted>> messages = new ArrayList<>();
      List<WireMessage.Submitted> message = new ArrayList<>();
      long messageBytes = 0;
      for (Appending each : submissions) {
        long size = sizeOf(each.submission());
        if (bytes + size > inFlightBytesMax) {
          refused.add(each.waiter());
          continue;
        }
        if (messageBytes >= MESSAGE_BYTES || message.isEmpty()) {
          message = new ArrayList<>();
          messages.add(message);
          messageBytes = 0;
        }
        message.add(submitted(each, size));
        messageBytes += size;
      }
      int left = messages.stream().mapToInt(List::size).sum();
      for (List<WireMessage.Submitted> each : messages) {
        left -= each.size();
        flush(each, following + left);
      }
    }

    private WireMessage.Submitted submitted(Appending each, long size) {
      AppendWaiter waiter = each.waiter();
      AppendWaiter.Stream stream = waiter.stream();
      Numbered numbered = streams.computeIfAbsent(stream, _ -> new Numbered(nextStream++));
      numbered.pending++;
      long id = nextId++;
      VerifiedSubmission submission = each.submission();
      boolean governs = submission.headers().getFirst().kind().code() >= Reverification.GOVERNING;
      pending.put(id, new Pending(waiter, stream, governs, size));
      bytes += size;
      return new WireMessage.Submitted(
          id,
          numbered.number,
          waiter.wantsCommitted(),
          submission.strand(),
          submission.requests(),
          submission.attestationBytes());
    }

    private void flush(List<WireMessage.Submitted> message, int following) {
      StreamObserver<byte[]> to = requests;
      if (to != null) {
        to.onNext(WireFrames.encode(new WireMessage.Appends(meant.get(), message, following)));
      }
    }

    private static long sizeOf(VerifiedSubmission submission) {
      long size = submission.attestationBytes().size();
      for (SignedRequest each : submission.requests()) {
        size += each.sizeBytes();
      }
      return size;
    }

    private @Nullable Pending answered(long id) {
      Pending done = pending.remove(id);
      if (done != null) {
        bytes -= done.bytes;
        Numbered numbered = streams.get(done.stream);
        if (numbered != null && --numbered.pending == 0) {
          streams.remove(done.stream);
        }
      }
      return done;
    }

    @Override
    public void onNext(byte[] frame) {
      try {
        switch (WireFrames.decode(frame)) {
          case WireMessage.Durable durable -> durable(durable);
          case WireMessage.Receipts receipts -> receipts(receipts);
          case WireMessage.Failed failed -> failed(failed);
          default -> throw new MalformedException("no answer to a submission");
        }
      } catch (MalformedException e) {
        StreamObserver<byte[]> to = requests;
        if (to != null) {
          to.onError(e);
        }
        lost("the server's answer cannot be read: " + e.getMessage());
      }
    }

    private void durable(WireMessage.Durable durable) {
      Pending known;
      synchronized (AppendLink.this) {
        known = pending.get(durable.id());
      }
      if (known != null) {
        if (known.governs) {
          governed.run();
        }
        known.waiter.committed(durable.committed());
      }
    }

    private void receipts(WireMessage.Receipts receipts) throws MalformedException {
      List<AppendWaiter> waiters = new ArrayList<>();
      AppendWaiter.Stream stream = null;
      boolean governs = false;
      synchronized (AppendLink.this) {
        if (receipts.ids().isEmpty() || receipts.ids().size() != receipts.committed().size()) {
          throw new MalformedException("receipts for nobody");
        }
        for (long id : receipts.ids()) {
          Pending known = pending.get(id);
          if (known == null || (stream != null && !known.stream.equals(stream))) {
            throw new MalformedException("a receipt for submission " + id);
          }
          stream = known.stream;
          governs |= known.governs;
          waiters.add(known.waiter);
        }
        receipts.ids().forEach(this::answered);
      }
      if (governs) {
        governed.run();
      }
      if (stream != null) {
        stream.receipted(
            new AppendWaiter.ReceiptedRun(waiters, receipts.committed(), receipts.rangeReceipt()));
      }
    }

    private void failed(WireMessage.Failed failed) {
      Pending known;
      synchronized (AppendLink.this) {
        known = answered(failed.id());
      }
      if (known != null) {
        known.waiter.failed(
            failed.refusal().isPresent()
                ? refusals.apply(failed.refusal().get())
                : new IOException("the outcome is unknown: " + failed.detail()));
      }
    }

    /// Forgets all that is not answered; nothing more is sent here.
    private List<Pending> broken() {
      if (link == this) {
        link = null;
      }
      List<Pending> all = List.copyOf(pending.values());
      pending.clear();
      streams.clear();
      bytes = 0;
      return all;
    }

    private void lost(String why) {
      List<Pending> all;
      synchronized (AppendLink.this) {
        all = broken();
      }
      lose(all, why);
    }

    @Override
    public void onError(Throwable cause) {
      lost(String.valueOf(cause.getMessage()));
    }

    @Override
    public void onCompleted() {
      lost("the server ended the stream");
    }
  }

  @Override
  public void close() {
    Link last;
    synchronized (this) {
      closed = true;
      last = link;
    }
    if (last != null) {
      StreamObserver<byte[]> to = last.requests;
      if (to != null) {
        to.onCompleted();
      }
    }
  }
}
