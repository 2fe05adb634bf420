package io.tallystick.bench.service;

import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.JournalServiceGrpc.JournalServiceStub;
import io.tallystick.api.v1.Receipted;
import io.tallystick.client.JournalDraft;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.receipt.RangeReceipt;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Batches of 1,000 random journals of 256 B under one signature, ten in flight on one stream, two
/// threads that sign and two that verify receipts; with one put of a random value in each journal,
/// or without.
public final class StateServiceLoad implements StreamObserver<AppendResponse> {
  private static final int IN_FLIGHT = 10;
  private static final int THREADS = 2;
  private static final int VALUE_BYTES = 100;
  private static final long DRAIN_SECONDS_MAX = 120;

  private final StateClient.Founded ledger;
  private final Signer signer;
  private final @Nullable Supplier<Bytes> keys;
  private final long batches;
  private final Signatures signatures = SignatureProviders.best();
  private final StreamObserver<AppendRequest> out;
  private final Semaphore permits = new Semaphore(IN_FLIGHT);
  private final AtomicLong ids = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Map<Long, Batch> open = new ConcurrentHashMap<>();
  private final ExecutorService checks = Executors.newFixedThreadPool(THREADS);
  private final List<Thread> senders = new ArrayList<>();
  private volatile boolean stopped;

  private record Batch(List<SignedRequest> requests, Bytes attestation) {}

  /// @param keys of the puts, from any thread; null: there are none
  /// @param batches the most that are sent
  StateServiceLoad(
      JournalServiceStub journals,
      StateClient.Founded ledger,
      Signer signer,
      @Nullable Supplier<Bytes> keys,
      long batches) {
    this.ledger = ledger;
    this.signer = signer;
    this.keys = keys;
    this.batches = batches;
    this.out = journals.append(this);
    for (int i = 0; i < THREADS; i++) {
      senders.add(Thread.ofPlatform().name("load-" + i).daemon().start(this::send));
    }
  }

  /// Journals whose receipts were verified.
  ///
  /// @throws IllegalStateException if the load ended by itself
  public long acknowledged() {
    Throwable cause = failure.get();
    if (cause != null) {
      throw new IllegalStateException("appending failed: " + cause.getMessage(), cause);
    }
    return acknowledged.get();
  }

  /// Journals that were sent.
  long sent() {
    return Math.min(ids.get(), batches) * BatchLoad.BATCH;
  }

  public void awaitAcknowledged(long journals) throws InterruptedException {
    while (acknowledged() < journals) {
      Thread.sleep(5);
    }
  }

  /// Sends no more and waits for what is in flight.
  public void stop() throws InterruptedException {
    stopped = true;
    for (Thread sender : senders) {
      sender.join();
    }
    boolean drained = permits.tryAcquire(IN_FLIGHT, DRAIN_SECONDS_MAX, TimeUnit.SECONDS);
    out.onCompleted();
    checks.shutdownNow();
    acknowledged();
    if (!drained) {
      throw new IllegalStateException("not answered within " + DRAIN_SECONDS_MAX + " s");
    }
  }

  private void send() {
    Payloads payloads = new Payloads(System.nanoTime());
    SplittableRandom random = new SplittableRandom();
    try {
      while (!stopped && failure.get() == null) {
        if (permits.tryAcquire(100, TimeUnit.MILLISECONDS)) {
          long id = ids.incrementAndGet();
          if (id > batches) {
            permits.release();
            return;
          }
          Batch batch = sign(payloads.drafts(BatchLoad.PAYLOAD_BYTES, BatchLoad.BATCH), random);
          open.put(id, batch);
          AppendRequest message = message(id, batch);
          synchronized (out) {
            out.onNext(message);
          }
        }
      }
    } catch (RuntimeException | InterruptedException e) {
      failure.compareAndSet(null, e);
    }
  }

  private Batch sign(List<JournalDraft> drafts, SplittableRandom random) {
    long now = System.currentTimeMillis();
    List<SignedRequest> requests = new ArrayList<>(drafts.size());
    List<Digest> hashes = new ArrayList<>(drafts.size());
    for (JournalDraft draft : drafts) {
      RequestDraft request =
          RequestDraft.append(
              ledger.strand(),
              draft.payload(),
              draft.contentType(),
              now,
              random(random, Limits.SALT_BYTES));
      if (keys != null) {
        request = request.withOps(List.of(DraftOp.put(keys.get(), random(random, VALUE_BYTES))));
      }
      SignedRequest signed = request.build();
      requests.add(signed);
      hashes.add(RequestHeader.hash(signed.header()));
    }
    Bytes attestation = RequestSigner.signBatch(ledger.strand(), hashes, List.of(signer)).encode();
    return new Batch(requests, attestation);
  }

  private static Bytes random(SplittableRandom random, int bytes) {
    byte[] value = new byte[bytes];
    random.nextBytes(value);
    return Bytes.wrap(value);
  }

  private AppendRequest message(long id, Batch batch) {
    AppendRequest.Builder message =
        AppendRequest.newBuilder()
            .setId(id)
            .setLedgerId(StateClient.wire(ledger.strand().ledger().digest().toBytes()))
            .setStrand(ledger.strand().strand())
            .setAttestation(StateClient.wire(batch.attestation));
    for (SignedRequest each : batch.requests) {
      message.addRequests(
          io.tallystick.api.v1.SignedRequest.newBuilder()
              .setHeader(StateClient.wire(each.header()))
              .setSalt(StateClient.wire(each.salt()))
              .setBody(StateClient.wire(each.body()))
              .setOps(StateClient.wire(each.ops())));
    }
    return message.build();
  }

  @Override
  public void onNext(AppendResponse answer) {
    Batch batch = open.remove(answer.getId());
    if (batch == null || !answer.hasReceipted()) {
      onError(
          new IllegalStateException(
              answer.getProblem().getCode() + ": " + answer.getProblem().getDetail()));
      return;
    }
    checks.execute(() -> {
      try {
        check(batch, answer.getReceipted());
        acknowledged.addAndGet(batch.requests.size());
      } catch (ProofRejectedException | MalformedException | RuntimeException e) {
        failure.compareAndSet(null, e);
      }
      permits.release();
    });
  }

  /// The leaves are rebuilt from what was signed; of the answer only jsn and time are taken.
  private void check(Batch batch, Receipted answer)
      throws ProofRejectedException, MalformedException {
    int count = batch.requests.size();
    Digest attestHash = Attestation.hash(batch.attestation);
    List<Bytes> leaves = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Jsn jsn = new Jsn(answer.getFirstJsn() + i);
      Bytes header = batch.requests.get(i).header();
      leaves.add(new JournalLeaf(jsn, answer.getTimeMs(), header, attestHash, i, count).encode());
    }
    RangeReceipt receipt = RangeReceipt.decode(Bytes.wrap(answer.getRangeReceipt().toByteArray()));
    if (receipt.proof().first() != answer.getFirstJsn() || receipt.proof().count() != count) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT,
              "receipt of %d journals from %d, want %d from %d",
              receipt.proof().count(),
              receipt.proof().first(),
              count,
              answer.getFirstJsn()));
    }
    receipt.verify(leaves, ledger.strand(), ledger.keys(), signatures);
  }

  @Override
  public void onError(Throwable cause) {
    failure.compareAndSet(null, cause);
    permits.release(IN_FLIGHT);
  }

  @Override
  public void onCompleted() {
    if (!stopped) {
      onError(new IllegalStateException("the service ended the stream"));
    }
  }
}
