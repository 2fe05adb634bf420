package io.tallystick.bench.trust;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.master.tledger.ForkShelf;
import io.tallystick.master.tledger.SubmittedHead;
import io.tallystick.master.tledger.SubmitterRule;
import io.tallystick.master.tledger.TLedgerFounding;
import io.tallystick.master.tledger.TLedgerWriter;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.host.LocalNode;
import io.tallystick.tledger.HeadEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// How many heads a second does a T-Ledger take, beside how many Ed25519 signatures the same
/// processors verify? A node and the writer in this process; {@link #LEDGERS} ledgers, each with
/// one head under way at a time, by as many threads as there are processors. A head counts when its
/// receipt is there. The heads are signed before, dated for the moment in which they are submitted:
/// each measurement is a burst that ends within the second for which they are taken.
final class TLedgerCase implements MeasuredCase {
  private static final double WANTED = 0.35;
  private static final int LEDGERS = 1_000;
  private static final int HEADS_EACH_MAX = 60;

  /// What a burst is to take; the heads are taken for twice the skew.
  private static final double BURST_SECONDS = 1.2;

  private static final long EARLY_MS = HeadEntry.SEAL_SKEW_MS_MAX - 100;
  private static final double LIMIT_SECONDS = 1;
  private static final long ANSWER_SECONDS_MAX = 30;
  private static final int TRIES_MAX = 20;

  private final Signatures signatures = SignatureProviders.best();

  /// Nothing is kept: the node lives as long as the case.
  private static final class Memory implements TLedgerFounding.Keeper {
    private Optional<Bytes> kept = Optional.empty();

    @Override
    public Optional<Bytes> kept() {
      return kept;
    }

    @Override
    public boolean keep(Optional<Bytes> before, Bytes request) {
      kept = Optional.of(request);
      return true;
    }
  }

  /// No head of the load contradicts another.
  private static final class NoForks implements ForkShelf {
    @Override
    public boolean wants(LedgerId submitter) {
      return false;
    }

    @Override
    public void keep(LedgerId submitter, ForkEvidence evidence) {
      throw new IllegalStateException("not wanted");
    }
  }

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    Signer owner = signatures.generate(SignatureAlgorithm.ED25519);
    try (LocalNode hosted =
        LocalNode.open(
            run.home(), new Authority("localhost"), signatures, new SimpleMeterRegistry())) {
      LedgerId id = new TLedgerFounding(hosted.node(), owner, signatures, new Memory()).open();
      try (TLedgerWriter writer =
          new TLedgerWriter(
              hosted.node(), id, owner, signatures, SubmitterRule.ANYBODY, new NoForks())) {
        writer.start();
        return measure(run, writer);
      }
    }
  }

  private List<BenchCase> measure(Run run, TLedgerWriter writer) throws Exception {
    Bursts bursts = new Bursts(writer);
    long warm = System.nanoTime() + (long) (run.warmUpSeconds() * 1e9);
    while (System.nanoTime() < warm) {
      Speed _ = bursts.next();
    }
    List<Speed> heads = new ArrayList<>();
    List<Speed> verifications = new ArrayList<>();
    for (int i = 0; i < run.repetitions(); i++) {
      verifications.add(verifications(LIMIT_SECONDS));
      heads.add(bursts.next());
      Speed head = heads.getLast();
      Speed verification = verifications.getLast();
      run.say(
          String.format(
              Locale.ROOT,
              "  %,.0f heads/s, %.2f of %,.0f verifications/s; processor time: %.0f us a head, %.0f a verification",
              head.perSecond(),
              head.perSecond() / verification.perSecond(),
              verification.perSecond(),
              head.micros(),
              verification.micros()));
    }
    List<BenchCase> measured =
        new ArrayList<>(
            List.of(
                BenchCase.spread("t-ledger-heads", "heads/s", Speed.rates(heads)),
                BenchCase.spread("t-ledger-head-cpu", "us", Speed.costs(heads)),
                BenchCase.spread(
                    "t-ledger-verifications", "verifications/s", Speed.rates(verifications)),
                BenchCase.spread("t-ledger-verification-cpu", "us", Speed.costs(verifications))));
    measured.addAll(Speed.beside("t-ledger", heads, verifications, WANTED));
    return measured;
  }

  /// One burst after the other, each as large as the speed of the one before allows.
  private final class Bursts {
    private final TLedgerWriter writer;
    private HeadLoad load = new HeadLoad(signatures, LEDGERS);
    private int headsEach = 1;

    Bursts(TLedgerWriter writer) {
      this.writer = writer;
    }

    Speed next() throws Exception {
      for (int tries = 0; tries < TRIES_MAX; tries++) {
        Burst burst = burst();
        if (burst.refused.get() == 0) {
          double wanted = burst.speed.perSecond() * BURST_SECONDS / LEDGERS;
          headsEach = (int) Math.clamp(wanted, 1, HEADS_EACH_MAX);
          return burst.speed;
        }
        // A ledger whose head was too late has lost its place: others begin anew.
        load = new HeadLoad(signatures, LEDGERS);
        headsEach = Math.max(1, headsEach / 2);
        Burst _ = burst();
      }
      throw new IllegalStateException("this machine takes no burst of heads within a second");
    }

    private Burst burst() throws Exception {
      // Signing takes some 40 us a head on one processor; then the date is still to come.
      long signingMs = 500 + headsEach * (long) load.ledgers() / 6;
      long sealedMs = System.currentTimeMillis() + signingMs + EARLY_MS;
      Burst burst = new Burst(writer, load.next(headsEach, sealedMs));
      long waitMs = sealedMs - EARLY_MS - System.currentTimeMillis();
      if (waitMs > 0) {
        Thread.sleep(waitMs);
      }
      burst.run();
      return burst;
    }
  }

  /// Heads that are submitted as fast as they are taken.
  private static final class Burst {
    private final TLedgerWriter writer;
    private final List<Queue<SubmittedHead>> left = new ArrayList<>();
    private final BlockingQueue<Integer> ready = new LinkedBlockingQueue<>();
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final CountDownLatch open;
    private Speed speed = new Speed(0, 0);

    Burst(TLedgerWriter writer, List<List<SubmittedHead>> heads) {
      this.writer = writer;
      heads.forEach(each -> left.add(new ArrayDeque<>(each)));
      open = new CountDownLatch(left.size());
    }

    void run() throws Exception {
      int threads = Runtime.getRuntime().availableProcessors();
      for (int i = 0; i < left.size(); i++) {
        ready.add(i);
      }
      ExecutorService callers = Executors.newFixedThreadPool(threads);
      long processor = ThisMachine.processorNanos();
      long started = System.nanoTime();
      try {
        for (int i = 0; i < threads; i++) {
          callers.execute(this::submit);
        }
        if (!open.await(ANSWER_SECONDS_MAX, TimeUnit.SECONDS)) {
          throw new IllegalStateException("heads are not answered");
        }
      } finally {
        callers.shutdownNow();
      }
      speed = Speed.of(taken.get(), started, processor);
    }

    private void submit() {
      try {
        while (true) {
          int ledger = ready.take();
          SubmittedHead head = left.get(ledger).remove();
          CompletableFuture<?> _ =
              writer
                  .take(head, SubmitterRule.Caller.NONE)
                  .whenComplete((_, failure) -> answered(ledger, failure == null));
        }
      } catch (RequestRejectedException | RuntimeException _) {
        refused.incrementAndGet();
        while (open.getCount() > 0) {
          open.countDown();
        }
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt(); // the burst is over
      }
    }

    private void answered(int ledger, boolean well) {
      if (well) {
        taken.incrementAndGet();
      } else {
        refused.incrementAndGet();
      }
      if (well && !left.get(ledger).isEmpty()) {
        ready.add(ledger);
      } else {
        open.countDown();
      }
    }
  }

  /// On all processors at once.
  private Speed verifications(double seconds) throws Exception {
    int threads = Runtime.getRuntime().availableProcessors();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Long>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        tasks.add(() -> verify(seconds));
      }
      long processor = ThisMachine.processorNanos();
      long started = System.nanoTime();
      long count = 0;
      for (Future<Long> done : pool.invokeAll(tasks)) {
        count += done.get();
      }
      return Speed.of(count, started, processor);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private long verify(double seconds) throws ProofRejectedException {
    Signer signer = signatures.generate(SignatureAlgorithm.ED25519);
    byte[] message = new byte[128];
    byte[] signature = signer.sign(message);
    long deadline = System.nanoTime() + (long) (seconds * 1e9);
    long count = 0;
    while (System.nanoTime() < deadline) {
      signatures.verify(signer.publicKey(), message, signature);
      count++;
    }
    return count;
  }
}
