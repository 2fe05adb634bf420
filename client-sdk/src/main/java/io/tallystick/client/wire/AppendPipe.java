package io.tallystick.client.wire;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.StreamEnd;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.JournalServiceGrpc.JournalServiceStub;
import io.tallystick.api.v1.Problem;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.wire.AppendReply.Answered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Appends, pipelined on one bidirectional stream. At most `inFlightBytesMax` are unanswered; a
/// call that wants to send more waits. When the stream breaks, what is unanswered goes out again on
/// a new one, in order and byte for byte: the service answers what it had already committed with
/// the original journals, so nothing is lost and nothing doubled.
///
/// Small submissions share messages under load, and so do their answers: see {@link Outbox}.
///
/// Every submission ends within the retry policy's time, or that of one attempt if it is longer.
/// Thread-safe.
public final class AppendPipe implements AutoCloseable {
  private static final String EXPIRED = "expired";
  private static final String UNAVAILABLE = "unavailable";

  /// Submissions sent again after a broken stream go in messages of so many bytes.
  private static final int RESEND_MESSAGE_BYTES = 256 << 10;

  private static final int RESEND_MESSAGE_SUBMISSIONS = 256;

  private final JournalServiceStub stub;
  private final Reconnects reconnects;
  private final RetryPolicy retry;
  private final Duration answerMax;
  private final ScheduledExecutorService timer;
  private final Consumer<List<Answered>> answers;
  private final int permitsMax;
  private final Semaphore permits;

  private final ReentrantLock lock = new ReentrantLock();
  // In order of submission: the first is the next to time out.
  private final Map<Long, Submission> unanswered = new LinkedHashMap<>();
  private final Outbox outbox = new Outbox();
  private long lastId;
  private @Nullable Connection connection;
  private int failures;
  private boolean reopening;
  private boolean expiryScheduled;
  private boolean lingering;
  private boolean closed;

  /// @param timeout of an attempt
  /// @param timer completes what is given up
  /// @param answers takes answers as they come, on the channel's threads: one, or several that
  ///   share the receipt of the first. Must be short
  public AppendPipe(
      ManagedChannel channel,
      RetryPolicy retry,
      Duration timeout,
      int inFlightBytesMax,
      ScheduledExecutorService timer,
      Consumer<List<Answered>> answers) {
    // Answers are only handed on: not worth a change of thread.
    this.stub = JournalServiceGrpc.newStub(channel).withExecutor(Runnable::run);
    this.reconnects = new Reconnects(channel);
    this.retry = retry;
    this.answerMax = timeout.compareTo(retry.timeMax()) > 0 ? timeout : retry.timeMax();
    this.timer = timer;
    this.answers = answers;
    this.permitsMax = inFlightBytesMax;
    this.permits = new Semaphore(inFlightBytesMax, true);
  }

  /// Sends one submission; blocks while too much is in flight.
  ///
  /// @param request without id, which is given here
  /// @param reply told of refusals and failures; what is no problem goes to `answers`
  public void submit(AppendRequest.Builder request, int sizeBytes, AppendReply reply)
      throws ServiceUnavailableException {
    int wanted = Math.clamp(sizeBytes, 1, permitsMax);
    long start = System.nanoTime();
    acquire(wanted);
    Runnable sending = () -> {};
    lock.lock();
    try {
      if (closed) {
        permits.release(wanted);
        throw new ServiceUnavailableException("the client is closed", false);
      }
      Submission submission =
          new Submission(
              request.setId(++lastId).setPackedAnswer(true).build(),
              wanted,
              start + retry.timeMax().toNanos(),
              start + answerMax.toNanos(),
              reply);
      unanswered.put(submission.id(), submission);
      scheduleExpiry();
      if (!reopening) {
        sending = post(submission);
      }
    } finally {
      lock.unlock();
    }
    sending.run();
  }

  private void acquire(int wanted) throws ServiceUnavailableException {
    try {
      if (!permits.tryAcquire(wanted, answerMax.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new ServiceUnavailableException(
            "no room in flight for " + wanted + " bytes within " + text(answerMax), false);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailableException("interrupted before sending", false, e);
    }
  }

  /// Under the lock: puts a submission into the outbox.
  ///
  /// @return sends what is due, once the lock is free
  private Runnable post(Submission submission) {
    outbox.add(submission);
    if (outbox.isFull(unanswered.size())) {
      return flush();
    }
    if (!lingering) {
      lingering = true;
      later(this::flushLate, Outbox.LINGER_NANOS);
    }
    return () -> {};
  }

  private void flushLate() {
    Runnable sending;
    lock.lock();
    try {
      lingering = false;
      sending = flush();
    } finally {
      lock.unlock();
    }
    sending.run();
  }

  // Under the lock.
  private Runnable flush() {
    return outbox.isEmpty() || reopening || closed ? () -> {} : sending(outbox.take());
  }

  // Under the lock.
  private Runnable sending(List<Submission> message) {
    Connection current = connection;
    if (current == null) {
      current = new Connection();
      connection = current;
      current.open();
    }
    Connection target = current;
    return () -> target.send(Outbox.message(message));
  }

  /// One stream. What a stream that is no longer the current one still says is ignored.
  private final class Connection implements StreamObserver<AppendResponse> {
    private final ReentrantLock sending = new ReentrantLock();
    private @Nullable ClientCallStreamObserver<AppendRequest> out;

    void open() {
      out = (ClientCallStreamObserver<AppendRequest>) stub.append(this);
    }

    /// Without the pipe's lock, since encoding takes its time. A stream that broke meanwhile
    /// swallows the message; its submissions are unanswered and go out again.
    void send(AppendRequest message) {
      if (out == null) {
        throw new AssertionError("stream is not open");
      }
      sending.lock();
      try {
        out.onNext(message);
      } finally {
        sending.unlock();
      }
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

  private void answered(Connection from, AppendResponse message) {
    AnswerGroups groups = new AnswerGroups();
    Runnable again = () -> {};
    lock.lock();
    try {
      if (from != connection) {
        return;
      }
      failures = 0;
      take(message, groups);
      for (AppendResponse further : message.getMoreList()) {
        take(further, groups);
      }
      again = resend(groups.orphans());
    } finally {
      lock.unlock();
    }
    permits.release(groups.permits());
    again.run();
    groups.refused().forEach(each -> complete(each.submission(), each.response()));
    groups.complete().forEach(answers);
  }

  // Under the lock.
  private void take(AppendResponse response, AnswerGroups groups) {
    Submission submission = unanswered.get(response.getId());
    // A second answer, or one to a submission given up: nobody waits for it.
    if (submission == null || submission.paused || submission.packing) {
      groups.add(null, response);
      return;
    }
    if (response.hasProblem() && pausedForRetry(submission, response.getProblem())) {
      return;
    }
    groups.add(submission, response);
    unanswered.remove(submission.id());
  }

  /// Under the lock. A submission that shares a receipt with one that was given up cannot check the
  /// receipt and is sent again: a repeat has a receipt of its own.
  private Runnable resend(List<Submission> orphans) {
    List<Submission> again = new ArrayList<>();
    for (Submission orphan : orphans) {
      orphan.outcomeUnknown = true;
      unanswered.put(orphan.id(), orphan);
      orphan.attempts++;
      again.add(orphan);
    }
    return again.isEmpty() ? () -> {} : sending(again);
  }

  // Under the lock.
  private boolean pausedForRetry(Submission submission, Problem problem) {
    Duration pause =
        retry.pause(submission.attempts, Problems.retryAfter(problem), ThreadLocalRandom.current());
    if (!problem.getRetryable() || submission.isLate(pause)) {
      return false;
    }
    submission.paused = true;
    submission.outcomeUnknown |= problem.getCode().equals(UNAVAILABLE);
    later(() -> resume(submission), pause.toNanos());
    return true;
  }

  private void resume(Submission submission) {
    Runnable sending = () -> {};
    lock.lock();
    try {
      if (submission.paused && unanswered.containsKey(submission.id())) {
        submission.paused = false;
        if (!reopening) {
          sending = post(submission);
        }
      }
    } finally {
      lock.unlock();
    }
    sending.run();
  }

  private void broken(Connection from, StatusRuntimeException failure) {
    List<Submission> failed;
    lock.lock();
    try {
      if (from != connection) {
        return;
      }
      connection = null;
      if (StreamEnd.isInOrder(failure)) {
        takeBackAttempts();
      } else {
        failures++;
      }
      // Submissions that wait in the outbox go out with the rest.
      outbox.clear();
      Duration pause =
          retry.pause(failures, Problems.retryAfter(failure), ThreadLocalRandom.current());
      failed = withdraw(failure, pause);
      if (!unanswered.isEmpty() && !reopening) {
        reopening = true;
        later(this::reopen, pause.toNanos());
      }
    } finally {
      lock.unlock();
    }
    reconnects.connect();
    for (Submission submission : failed) {
      submission.reply.failed(Problems.toException("append", failure, submission.outcomeUnknown));
    }
  }

  /// Under the lock: the service has ended the stream in order, so what it did not answer has not
  /// failed. The times that submissions have bound how often that can happen.
  private void takeBackAttempts() {
    for (Submission submission : unanswered.values()) {
      if (submission.attempts > 0 && !submission.paused) {
        submission.outcomeUnknown = true;
        submission.attempts--;
      }
    }
  }

  // Under the lock: what the broken stream was the last chance of.
  private List<Submission> withdraw(StatusRuntimeException failure, Duration pause) {
    boolean retryable = Problems.retryable(failure);
    boolean neverSent = Problems.neverSent(failure);
    List<Submission> failed = new ArrayList<>();
    Iterator<Submission> all = unanswered.values().iterator();
    while (all.hasNext()) {
      Submission submission = all.next();
      if (submission.attempts == 0 || submission.paused) {
        continue;
      }
      submission.outcomeUnknown |= !neverSent;
      if (!retryable || submission.isLate(pause)) {
        all.remove();
        permits.release(submission.permits);
        failed.add(submission);
      }
    }
    return failed;
  }

  private void reopen() {
    List<Runnable> sendings = new ArrayList<>();
    lock.lock();
    try {
      reopening = false;
      List<Submission> message = new ArrayList<>();
      long bytes = 0;
      for (Submission submission : unanswered.values()) {
        if (submission.paused || closed) {
          continue;
        }
        submission.attempts++;
        message.add(submission);
        bytes += submission.permits;
        if (bytes >= RESEND_MESSAGE_BYTES || message.size() == RESEND_MESSAGE_SUBMISSIONS) {
          sendings.add(sending(message));
          message = new ArrayList<>();
          bytes = 0;
        }
      }
      if (!message.isEmpty()) {
        sendings.add(sending(message));
      }
    } finally {
      lock.unlock();
    }
    sendings.forEach(Runnable::run);
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
        outbox.remove(submission);
        permits.release(submission.permits);
        late.add(submission);
      }
      scheduleExpiry();
    } finally {
      lock.unlock();
    }
    for (Submission submission : late) {
      submission.reply.failed(
          new ServiceUnavailableException(
              "append was not answered within " + text(answerMax), mayBeDone(submission)));
    }
  }

  /// Whether it may be committed: an earlier attempt went out, or one is under way.
  private boolean mayBeDone(Submission submission) {
    return submission.outcomeUnknown
        || (submission.attempts > 0 && !submission.paused && !reopening);
  }

  /// `30 s`, or in milliseconds if it is no whole second.
  private static String text(Duration time) {
    long millis = time.toMillis();
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }

  private void later(Runnable task, long delayNanos) {
    Future<?> unused = timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
  }

  private static void complete(Submission submission, AppendResponse response) {
    submission.reply.failed(refusal(submission, response.getProblem()));
  }

  private static TallyException refusal(Submission submission, Problem problem) {
    RequestRefusedException refused = Problems.refused(problem);
    if (problem.getCode().equals(UNAVAILABLE)) {
      return new ServiceUnavailableException("append: " + problem.getDetail(), true, refused);
    }
    // The service forgets a signature when it expires, and looks for none while it takes no
    // appends: then it cannot say that it has committed it.
    boolean noWord = problem.getRetryable() || problem.getCode().equals(EXPIRED);
    return submission.outcomeUnknown && noWord
        ? new ServiceUnavailableException(
            "append: its repeat was refused (" + problem.getCode() + ")", true, refused)
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
      outbox.clear();
      if (connection != null) {
        connection.cancel("client closed");
        connection = null;
      }
    } finally {
      lock.unlock();
    }
    for (Submission submission : open) {
      permits.release(submission.permits);
      submission.reply.failed(
          new ServiceUnavailableException("the client was closed", mayBeDone(submission)));
    }
  }
}
