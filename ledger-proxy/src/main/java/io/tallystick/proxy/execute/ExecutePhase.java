package io.tallystick.proxy.execute;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestTimes;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.master.duty.ProposalSubmitter;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.Appending;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.access.MemberBudgets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// Verifies submissions and forwards them. What is refused here never reaches a sequencer and
/// leaves no trace; what passes is judged again at commit, where replay, keys and roles are
/// decided.
///
/// The queue before the threads is bounded in bytes. Thread-safe.
public final class ExecutePhase implements ProposalSubmitter.Submission, AutoCloseable {
  /// Bytes that may wait for a thread at once, over all connections; eight of them at their own
  /// limit.
  public static final long QUEUED_BYTES_MAX = 64L << 20;

  /// The bytes that a small submission counts at least, so that the queue is bounded in entries
  /// too.
  static final int QUEUED_BYTES_MIN = 1 << 10;

  /// A task ends with the submission that reaches one of these: small enough to spread a message
  /// over the threads, large enough that handing it on costs little per submission.
  private static final int TASK_SUBMISSIONS_MAX = 32;

  private static final long TASK_BYTES = 256 << 10;

  private static final long CLOSE_SECONDS_MAX = 5;

  private final LedgerRegistry registry;
  private final SubmissionVerifier verifier;
  private final MemberBudgets budgets;
  private final ExecutorService threads;
  private final long queuedBytesMax;
  private final AtomicLong queuedBytes = new AtomicLong();
  private final AtomicInteger unverified = new AtomicInteger();

  /// @param budgets what each member may append
  public ExecutePhase(
      LedgerRegistry registry,
      SubmissionVerifier verifier,
      MemberBudgets budgets,
      MeterRegistry meters) {
    this(registry, verifier, budgets, QUEUED_BYTES_MAX);
    Gauge.builder("ledger.execute.queue.bytes", queuedBytes, AtomicLong::get)
        .description("of submissions that wait to be verified")
        .register(meters);
  }

  ExecutePhase(
      LedgerRegistry registry,
      SubmissionVerifier verifier,
      MemberBudgets budgets,
      long queuedBytesMax) {
    this.budgets = budgets;
    this.registry = registry;
    this.verifier = verifier;
    this.queuedBytesMax = queuedBytesMax;
    int count = Runtime.getRuntime().availableProcessors();
    this.threads =
        Executors.newFixedThreadPool(
            count, Thread.ofPlatform().name("execute-", 0).daemon().factory());
  }

  /// Verifies and forwards. Those of one task reach the sequencer together and in this order.
  /// Refusals, of this phase and of the sequencer, arrive through the waiters. Never blocks.
  public void submit(List<? extends Arrival> arrivals) {
    List<Arrival> task = new ArrayList<>();
    long taskBytes = 0;
    for (Arrival arrival : arrivals) {
      long cost = cost(arrival);
      if (queuedBytes.addAndGet(cost) > queuedBytesMax) {
        queuedBytes.addAndGet(-cost);
        arrival.waiter().failed(tooMuchQueued());
        continue;
      }
      task.add(arrival);
      taskBytes += cost;
      if (task.size() == TASK_SUBMISSIONS_MAX || taskBytes >= TASK_BYTES) {
        start(task);
        task = new ArrayList<>();
        taskBytes = 0;
      }
    }
    if (!task.isEmpty()) {
      start(task);
    }
  }

  /// A proposal that has the signatures it needs, as any member's request.
  @Override
  public void submit(Proposal proposal, AppendTicket ticket) {
    UnverifiedSubmission submission =
        new UnverifiedSubmission(
            proposal.request().strand(),
            List.of(proposal.submitted()),
            proposal.attestation().encode());
    submit(List.of(Arrival.of(submission, ticket)));
  }

  private static long cost(Arrival arrival) {
    return Math.max(arrival.sizeBytes(), QUEUED_BYTES_MIN);
  }

  private RequestRejectedException tooMuchQueued() {
    return new RequestRejectedException(
            RejectionCode.RATE_LIMITED,
            queuedBytesMax + " bytes are waiting to be verified; try again later")
        .withLimit(queuedBytesMax);
  }

  private void start(List<Arrival> task) {
    unverified.addAndGet(task.size());
    threads.execute(() -> execute(task));
  }

  private void execute(List<Arrival> task) {
    LedgerNode node = null;
    List<Appending> verified = new ArrayList<>(task.size());
    for (Arrival arrival : task) {
      queuedBytes.addAndGet(-cost(arrival));
      try {
        UnverifiedSubmission submission = arrival.submission();
        VerifiedSubmission checked = verify(submission);
        LedgerNode itsNode = registry.nodeOf(submission.strand().ledger());
        if (node != null && !node.equals(itsNode)) {
          forward(node, verified, 0);
          verified = new ArrayList<>();
        }
        node = itsNode;
        verified.add(new Appending(checked, arrival.waiter()));
      } catch (Throwable e) {
        // Whatever goes wrong must reach the one who waits, or it would wait for ever.
        arrival.waiter().failed(e);
      }
    }
    int following = unverified.addAndGet(-task.size());
    if (node != null) {
      forward(node, verified, following);
    }
  }

  private static void forward(LedgerNode node, List<Appending> verified, int following) {
    try {
      node.append(verified, following);
    } catch (Throwable e) {
      verified.forEach(each -> each.waiter().failed(e));
    }
  }

  private VerifiedSubmission verify(UnverifiedSubmission submission)
      throws RequestRejectedException {
    MemberKeys keys = new MemberKeys(registry, submission.strand().ledger());
    VerifiedSubmission verified;
    try {
      verified =
          verifier.verify(
              submission.strand(), submission.requests(), submission.attestation(), keys);
    } catch (RequestRejectedException e) {
      // To the verifier a key that was not looked up is a key of no member.
      throw keys.refusal().orElse(e);
    }
    checkTimes(verified);
    // Once the signatures are known to be theirs: nobody uses up another's.
    for (Digest signer : verified.signerKids()) {
      budgets.take(submission.strand().ledger(), signer, verified.requests().size());
    }
    return verified;
  }

  /// A first look: spares the sequencer what is too late or too early already. The ledger's own
  /// window is known there.
  private void checkTimes(VerifiedSubmission submission) throws RequestRejectedException {
    long clockMs = registry.clockMs();
    long nowMs = Math.max(clockMs, registry.timeMs());
    for (int i = 0; i < submission.headers().size(); i++) {
      RequestHeader header = submission.headers().get(i);
      try {
        RequestTimes.check(header, nowMs, clockMs, Limits.GOVERNANCE_WINDOW_MS_MAX);
      } catch (RequestRejectedException e) {
        throw submission.batch() ? e.atIndex(i) : e;
      }
    }
  }

  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
