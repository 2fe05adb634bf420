package io.tallystick.client.wire;

import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.JournalServiceGrpc.JournalServiceStub;
import io.tallystick.api.v1.Problem;
import io.tallystick.client.RequestRefusedException;
import io.tallystick.client.RetryPolicy;
import io.tallystick.client.ServiceUnavailableException;
import io.tallystick.client.TallyException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Appends, pipelined on one bidirectional stream. At most `inFlightBytesMax` are unanswered; who
/// wants to send more waits. When the stream breaks, what is unanswered goes out again on a new
/// one, in order and byte for byte: the service answers what it had already committed with the
/// original journals, so nothing is lost and nothing doubled.
///
/// Every submission ends within the retry policy's time. Answers complete on the channel's threads
/// or on `timer`; what hangs on them must be short. Thread-safe.
public final class AppendPipe implements AutoCloseable {
  private static final String EXPIRED = "expired";

  private final JournalServiceStub stub;
  private final RetryPolicy retry;
  private final ScheduledExecutorService timer;
  private final int permitsMax;
  private final Semaphore permits;

  private final ReentrantLock lock = new ReentrantLock();
  // In order of submission: the first is the next to time out.
  private final Map<Long, Submission> unanswered = new LinkedHashMap<>();
  private long lastId;
  private @Nullable Connection connection;
  private int failures;
  private boolean reopening;
  private boolean expiryScheduled;
  private boolean closed;

  public AppendPipe(
      Channel channel, RetryPolicy retry, int inFlightBytesMax, ScheduledExecutorService timer) {
    this.stub = JournalServiceGrpc.newStub(channel);
    this.retry = retry;
    this.timer = timer;
    this.permitsMax = inFlightBytesMax;
    this.permits = new Semaphore(inFlightBytesMax, true);
  }

  /// Sends one submission; blocks while too much is in flight.
  ///
  /// @param request without id, which is given here
  /// @return the answer, never a problem: those complete it with a {@link TallyException}
  public CompletableFuture<AppendResponse> submit(AppendRequest.Builder request, int sizeBytes)
      throws ServiceUnavailableException {
    int wanted = Math.clamp(sizeBytes, 1, permitsMax);
    long deadline = System.nanoTime() + retry.timeMax().toNanos();
    acquire(wanted);
    lock.lock();
    try {
      if (closed) {
        permits.release(wanted);
        throw new ServiceUnavailableException("the client is closed", false);
      }
      Submission submission = new Submission(request.setId(++lastId).build(), wanted, deadline);
      unanswered.put(submission.id(), submission);
      scheduleExpiry();
      if (!reopening) {
        send(submission);
      }
      return submission.answer;
    } finally {
      lock.unlock();
    }
  }

  private void acquire(int wanted) throws ServiceUnavailableException {
    try {
      if (!permits.tryAcquire(wanted, retry.timeMax().toMillis(), TimeUnit.MILLISECONDS)) {
        throw new ServiceUnavailableException(
            "no room in flight for " + wanted + " bytes within " + retry.timeMax(), false);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailableException("interrupted before sending", false, e);
    }
  }

  // Under the lock.
  private void send(Submission submission) {
    if (connection == null) {
      connection = new Connection();
      connection.open();
    }
    submission.attempts++;
    submission.paused = false;
    connection.send(submission.request);
  }

  /// One stream. What a stream that is no longer the current one still says is ignored.
  private final class Connection implements StreamObserver<AppendResponse> {
    private @Nullable ClientCallStreamObserver<AppendRequest> out;

    void open() {
      out = (ClientCallStreamObserver<AppendRequest>) stub.append(this);
    }

    void send(AppendRequest request) {
      if (out == null) {
        throw new AssertionError("stream is not open");
      }
      out.onNext(request);
    }

    void cancel(String why) {
      if (out != null) {
        out.cancel(why, null);
      }
    }

    @Override
    public void onNext(AppendResponse response) {
      answered(this, response);
    }

    @Override
    public void onError(Throwable failure) {
      Status status = Status.fromThrowable(failure);
      broken(this, new StatusRuntimeException(status, Status.trailersFromThrowable(failure)));
    }

    @Override
    public void onCompleted() {
      broken(this, Status.UNAVAILABLE.withDescription("stream ended").asRuntimeException());
    }
  }

  private void answered(Connection from, AppendResponse response) {
    Submission submission;
    lock.lock();
    try {
      if (from != connection) {
        return;
      }
      submission = unanswered.get(response.getId());
      if (submission == null || submission.paused) {
        return; // a second answer, or one to a submission given up: nobody waits for it
      }
      failures = 0;
      if (response.hasProblem() && pausedForRetry(submission, response.getProblem())) {
        return;
      }
      remove(submission);
    } finally {
      lock.unlock();
    }
    complete(submission, response);
  }

  // Under the lock.
  private boolean pausedForRetry(Submission submission, Problem problem) {
    if (!problem.getRetryable() || submission.attempts >= retry.attemptsMax()) {
      return false;
    }
    Duration pause =
        retry.pause(submission.attempts, Problems.retryAfter(problem), ThreadLocalRandom.current());
    if (System.nanoTime() + pause.toNanos() - submission.deadlineNanos > 0) {
      return false;
    }
    submission.paused = true;
    later(() -> resume(submission), pause.toNanos());
    return true;
  }

  private void resume(Submission submission) {
    lock.lock();
    try {
      if (submission.paused && unanswered.containsKey(submission.id())) {
        submission.paused = false;
        if (!reopening) {
          send(submission);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void broken(Connection from, StatusRuntimeException failure) {
    List<Submission> failed;
    lock.lock();
    try {
      if (from != connection) {
        return;
      }
      connection = null;
      failures++;
      failed = withdraw(Problems.retryable(failure));
      if (!unanswered.isEmpty() && !reopening) {
        reopening = true;
        Duration pause =
            retry.pause(failures, Problems.retryAfter(failure), ThreadLocalRandom.current());
        later(this::reopen, pause.toNanos());
      }
    } finally {
      lock.unlock();
    }
    for (Submission submission : failed) {
      submission.answer.completeExceptionally(Problems.toException("append", failure, true));
    }
  }

  // Under the lock: what the broken stream was the last chance of.
  private List<Submission> withdraw(boolean retryable) {
    List<Submission> failed = new ArrayList<>();
    Iterator<Submission> all = unanswered.values().iterator();
    while (all.hasNext()) {
      Submission submission = all.next();
      if (submission.attempts == 0 || submission.paused) {
        continue;
      }
      submission.outcomeUnknown = true;
      if (!retryable || submission.attempts >= retry.attemptsMax()) {
        all.remove();
        permits.release(submission.permits);
        failed.add(submission);
      }
    }
    return failed;
  }

  private void reopen() {
    lock.lock();
    try {
      reopening = false;
      for (Submission submission : List.copyOf(unanswered.values())) {
        if (!submission.paused && !closed) {
          send(submission);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  // Under the lock.
  private void scheduleExpiry() {
    if (expiryScheduled || unanswered.isEmpty()) {
      return;
    }
    expiryScheduled = true;
    long wait = unanswered.values().iterator().next().deadlineNanos - System.nanoTime();
    later(this::expire, Math.max(0, wait));
  }

  private void expire() {
    List<Submission> late = new ArrayList<>();
    lock.lock();
    try {
      expiryScheduled = false;
      long now = System.nanoTime();
      Iterator<Submission> all = unanswered.values().iterator();
      while (all.hasNext()) {
        Submission submission = all.next();
        if (submission.deadlineNanos - now > 0) {
          break;
        }
        all.remove();
        permits.release(submission.permits);
        late.add(submission);
      }
      scheduleExpiry();
    } finally {
      lock.unlock();
    }
    for (Submission submission : late) {
      submission.answer.completeExceptionally(
          new ServiceUnavailableException(
              "append was not answered within " + retry.timeMax(), submission.attempts > 0));
    }
  }

  private void later(Runnable task, long delayNanos) {
    Future<?> _ = timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
  }

  // Under the lock.
  private void remove(Submission submission) {
    unanswered.remove(submission.id());
    permits.release(submission.permits);
  }

  private static void complete(Submission submission, AppendResponse response) {
    if (response.hasProblem()) {
      submission.answer.completeExceptionally(refusal(submission, response.getProblem()));
    } else {
      submission.answer.complete(response);
    }
  }

  private static TallyException refusal(Submission submission, Problem problem) {
    RequestRefusedException refused = new RequestRefusedException(problem);
    // The service forgets a signature when it expires: then it cannot say that it has committed it.
    return submission.outcomeUnknown && problem.getCode().equals(EXPIRED)
        ? new ServiceUnavailableException(
            "append expired before its repeat was answered", true, refused)
        : refused;
  }

  /// Ends the stream; what is unanswered fails with an unknown outcome.
  @Override
  public void close() {
    List<Submission> open;
    lock.lock();
    try {
      closed = true;
      open = List.copyOf(unanswered.values());
      unanswered.clear();
      if (connection != null) {
        connection.cancel("client closed");
        connection = null;
      }
    } finally {
      lock.unlock();
    }
    for (Submission submission : open) {
      permits.release(submission.permits);
      submission.answer.completeExceptionally(
          new ServiceUnavailableException("the client was closed", submission.attempts > 0));
    }
  }
}
