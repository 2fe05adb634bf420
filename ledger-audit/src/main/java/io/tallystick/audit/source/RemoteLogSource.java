package io.tallystick.audit.source;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.GetCheckpointRequest;
import io.tallystick.api.v1.GetKeyChainRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.JournalServiceGrpc.JournalServiceBlockingStub;
import io.tallystick.api.v1.LogChunk;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.ReadLogRequest;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A log read from a service, at the size it signed last when the reading began. A broken stream is
/// taken up again behind the last entry that came.
///
/// @param channel stays the caller's
/// @param bodies whether salts and bodies are asked for, which not every member may read
/// @param idle how long nothing may come before the stream counts as broken
public record RemoteLogSource(Channel channel, StrandId strand, boolean bodies, Duration idle)
    implements LogSource {
  private static final Duration IDLE = Duration.ofSeconds(60);

  private static final int MESSAGE_BYTES_MAX = 16 << 20;
  private static final int FAILURES_MAX = 6;
  private static final long BACKOFF_MILLIS = 100;
  private static final long CHECKPOINT_WAIT_SECONDS = 30;

  public RemoteLogSource(Channel channel, StrandId strand) {
    this(channel, strand, true);
  }

  public RemoteLogSource(Channel channel, StrandId strand, boolean bodies) {
    this(channel, strand, bodies, IDLE);
  }

  @Override
  public LogReader open() throws IOException, LogFormatException {
    return open(0, 0);
  }

  /// Asks for the later entries only.
  @Override
  public LogReader open(long jsn, long source) throws IOException, LogFormatException {
    JournalServiceBlockingStub stub =
        JournalServiceGrpc.newBlockingStub(channel).withMaxInboundMessageSize(MESSAGE_BYTES_MAX);
    Bytes note = checkpoint(stub, false);
    try {
      // Only how much to read is taken from it; the audit verifies it.
      long size = Checkpoint.parse(SignedNote.decode(note).text()).size().value();
      return new Reader(stub, this, size, note, jsn);
    } catch (MalformedException e) {
      throw LogFormatException.malformed(e);
    }
  }

  @Override
  public Optional<Bytes> cosigned() throws IOException, LogFormatException {
    return Optional.of(checkpoint(JournalServiceGrpc.newBlockingStub(channel), true));
  }

  private Bytes checkpoint(JournalServiceBlockingStub stub, boolean cosigned)
      throws IOException, LogFormatException {
    GetCheckpointRequest request =
        GetCheckpointRequest.newBuilder()
            .setLedgerId(ByteString.copyFrom(strand.ledger().digest().toArray()))
            .setStrand(strand.strand())
            .setCosigned(cosigned)
            .build();
    try {
      return bytes(
          stub.withDeadlineAfter(CHECKPOINT_WAIT_SECONDS, TimeUnit.SECONDS)
              .getCheckpoint(request)
              .getNote());
    } catch (StatusRuntimeException e) {
      throwIfDamaged(e);
      throw failed("GetCheckpoint", e);
    }
  }

  @Override
  public Optional<Bytes> keyChain() throws IOException {
    GetKeyChainRequest request =
        GetKeyChainRequest.newBuilder()
            .setLedgerId(ByteString.copyFrom(strand.ledger().digest().toArray()))
            .setStrand(strand.strand())
            .build();
    try {
      return Optional.of(
          bytes(
              JournalServiceGrpc.newBlockingStub(channel)
                  .withMaxInboundMessageSize(MESSAGE_BYTES_MAX)
                  .withDeadlineAfter(CHECKPOINT_WAIT_SECONDS, TimeUnit.SECONDS)
                  .getKeyChain(request)
                  .getKeyChain()));
    } catch (StatusRuntimeException e) {
      throw failed("GetKeyChain", e);
    }
  }

  @Override
  public Optional<PurgedStart> purged() throws IOException {
    return new RemoteRemovals(channel, strand).purged();
  }

  @Override
  public Optional<InputStream> purgedClues() throws IOException {
    return new RemoteRemovals(channel, strand).clues();
  }

  @Override
  public Optional<InputStream> purgedState() throws IOException {
    return new RemoteRemovals(channel, strand).state();
  }

  @Override
  public Optional<ConsistencyProof> consistency(long from, long to)
      throws IOException, LogFormatException {
    return Optional.of(new RemoteRemovals(channel, strand).consistency(from, to));
  }

  @Override
  public Optional<Bytes> leafHashes(long index, int width) throws IOException, LogFormatException {
    return Optional.of(new RemoteRemovals(channel, strand).leafHashes(index, width));
  }

  /// No other answer will come, and what a log cannot tell any more is a fault of the log.
  ///
  /// @throws LogFormatException if the service says that what it stored is damaged
  private static void throwIfDamaged(StatusRuntimeException failure) throws LogFormatException {
    Problem problem = ProblemTrailer.of(failure);
    if (problem != null && problem.getCode().equals(RejectionCode.DAMAGED.wire())) {
      throw LogFormatException.damaged(problem.getCode() + ": " + problem.getDetail(), failure);
    }
  }

  /// The cause tells whether the service refused or was not there.
  private static IOException failed(String call, StatusRuntimeException failure) {
    return new IOException(call + " failed: " + failure.getStatus().getCode(), failure);
  }

  private static Bytes bytes(ByteString value) {
    return Bytes.wrap(value.toByteArray());
  }

  private static final class Reader implements LogReader {
    private final JournalServiceBlockingStub stub;
    private final StrandId strand;
    private final long size;
    private final Deque<LogEntry> ready = new ArrayDeque<>();
    private Bytes checkpoint;
    private Bytes headReceipt = Bytes.EMPTY;
    private long received;
    private int failures;
    private final boolean bodies;
    private final Duration idle;
    private final ScheduledExecutorService watch =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("audit-idle-watch").factory());
    private volatile boolean stalled;
    private Iterator<LogChunk> stream = Collections.emptyIterator();
    private Context.@Nullable CancellableContext call;

    Reader(
        JournalServiceBlockingStub stub,
        RemoteLogSource source,
        long size,
        Bytes checkpoint,
        long firstJsn) {
      this.received = firstJsn;
      this.bodies = source.bodies;
      this.idle = source.idle;
      this.stub = stub;
      this.strand = source.strand;
      this.size = size;
      this.checkpoint = checkpoint;
    }

    @Override
    public StrandId strand() {
      return strand;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public @Nullable LogEntry next() throws IOException, LogFormatException {
      while (ready.isEmpty()) {
        if (received == size && !headReceipt.isEmpty()) {
          return null;
        }
        fetch();
      }
      return ready.poll();
    }

    @Override
    public LogEnd end() {
      return new LogEnd(checkpoint, headReceipt);
    }

    private void fetch() throws IOException, LogFormatException {
      try {
        if (call == null) {
          start();
        }
        if (!awaitNext()) {
          throw LogFormatException.truncated(
              String.format(
                  Locale.ROOT,
                  "the service ended the log after %d of %d entries%s",
                  received,
                  size,
                  received == size ? ", without a signed head" : ""));
        }
        accept(stream.next());
        failures = 0;
      } catch (StatusRuntimeException e) {
        retry(e);
      }
    }

    /// @return false at the end of the stream
    private boolean awaitNext() {
      Context.CancellableContext waiting = Objects.requireNonNull(call);
      ScheduledFuture<?> deadline =
          watch.schedule(
              () -> {
                stalled = true;
                waiting.cancel(null);
              },
              idle.toNanos(),
              TimeUnit.NANOSECONDS);
      try {
        return stream.hasNext();
      } finally {
        deadline.cancel(false);
      }
    }

    private void start() {
      stalled = false;
      ReadLogRequest request =
          ReadLogRequest.newBuilder()
              .setLedgerId(ByteString.copyFrom(strand.ledger().digest().toArray()))
              .setStrand(strand.strand())
              .setFrom(received)
              .setSize(size)
              .setWithoutBodies(!bodies)
              .build();
      Context.CancellableContext context = Context.current().withCancellation();
      call = context;
      Context previous = context.attach();
      try {
        stream = stub.readLog(request);
      } finally {
        context.detach(previous);
      }
    }

    private void accept(LogChunk chunk) throws LogFormatException {
      for (io.tallystick.api.v1.LogEntry entry : chunk.getEntriesList()) {
        if (received == size) {
          throw LogFormatException.malformed("the service sends more than " + size + " entries");
        }
        ready.add(
            new LogEntry(
                bytes(entry.getLeaf()),
                bytes(entry.getAttestation()),
                bytes(entry.getOps()),
                state(entry),
                bytes(entry.getSalt()),
                bytes(entry.getBody())));
        received++;
      }
      if (!chunk.getCheckpoint().isEmpty()) {
        checkpoint = bytes(chunk.getCheckpoint());
      }
      if (!chunk.getHeadReceipt().isEmpty()) {
        headReceipt = bytes(chunk.getHeadReceipt());
      }
    }

    private static BodyState state(io.tallystick.api.v1.LogEntry entry) throws LogFormatException {
      return switch (entry.getBodyState()) {
        case BODY_NONE -> BodyState.NONE;
        case BODY_PRESENT -> BodyState.PRESENT;
        case BODY_ERASED -> BodyState.ERASED;
        case BODY_DAMAGED -> BodyState.DAMAGED;
        case BODY_STATE_UNSPECIFIED, UNRECOGNIZED ->
            throw LogFormatException.malformed("body state " + entry.getBodyStateValue());
      };
    }

    /// Waits and lets the next fetch begin behind what has come, as long as there is hope.
    private void retry(StatusRuntimeException failure) throws IOException, LogFormatException {
      throwIfDamaged(failure);
      Status.Code code = failure.getStatus().getCode();
      boolean passing =
          stalled || code == Status.Code.UNAVAILABLE || code == Status.Code.RESOURCE_EXHAUSTED;
      failures++;
      if (!passing || failures >= FAILURES_MAX) {
        throw failed(
            "reading the log at jsn "
                + received
                + (stalled ? ", where nothing came for " + idle.toMillis() + " ms," : ""),
            failure);
      }
      cancel();
      call = null;
      try {
        Thread.sleep(BACKOFF_MILLIS << failures);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted at jsn " + received, e);
      }
    }

    @Override
    public void close() {
      watch.shutdownNow();
      cancel();
    }

    private void cancel() {
      Context.CancellableContext open = call;
      if (open != null) {
        open.cancel(null);
      }
    }
  }
}
