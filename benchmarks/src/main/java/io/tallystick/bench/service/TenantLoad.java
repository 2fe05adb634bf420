package io.tallystick.bench.service;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.Receipted;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.RangeReceipt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Batches of random journals, each to a random one of many ledgers, over one stream; each receipt
/// is verified under the service's keys before its journals count. It keeps no trusted log for each
/// ledger, as the SDK would: a tenant has one, not ten thousand.
final class TenantLoad implements StreamObserver<AppendResponse> {
  private static final int PAYLOAD_BYTES = 256;
  private static final int SALT_BYTES = 32;
  private static final int IN_FLIGHT = 64;
  private static final long DRAIN_SECONDS_MAX = 60;

  private final List<StrandId> ledgers;
  private final Signer owner;
  private final Signatures signatures;
  private final ServiceKeys keys;
  private final int batch;
  private final SplittableRandom random = new SplittableRandom();
  private final Semaphore permits = new Semaphore(IN_FLIGHT);
  private final Map<Long, Sent> sent = new ConcurrentHashMap<>();
  private final AtomicLong verified = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  private record Sent(StrandId strand, List<SignedRequest> requests, Digest attestHash) {}

  TenantLoad(
      List<StrandId> ledgers, Signer owner, Signatures signatures, ServiceKeys keys, int batch) {
    this.ledgers = List.copyOf(ledgers);
    this.owner = owner;
    this.signatures = signatures;
    this.keys = keys;
    this.batch = batch;
  }

  /// @return journals whose receipts were verified
  long run(ManagedChannel channel, double seconds) throws Exception {
    StreamObserver<AppendRequest> out = JournalServiceGrpc.newStub(channel).append(this);
    long deadline = System.nanoTime() + (long) (seconds * 1e9);
    for (long id = 1; System.nanoTime() < deadline && failure.get() == null; id++) {
      AppendRequest request = next(id, ledgers.get(random.nextInt(ledgers.size())));
      if (permits.tryAcquire(DRAIN_SECONDS_MAX, TimeUnit.SECONDS)) {
        out.onNext(request);
      }
    }
    if (failure.get() == null
        && !permits.tryAcquire(IN_FLIGHT, DRAIN_SECONDS_MAX, TimeUnit.SECONDS)) {
      throw new IllegalStateException("not answered within " + DRAIN_SECONDS_MAX + " s");
    }
    out.onCompleted();
    Throwable cause = failure.get();
    if (cause != null) {
      throw cause instanceof Exception e ? e : new IllegalStateException(cause);
    }
    return verified.get();
  }

  private AppendRequest next(long id, StrandId strand) {
    long nowMs = System.currentTimeMillis();
    List<SignedRequest> requests = new ArrayList<>(batch);
    List<Digest> hashes = new ArrayList<>(batch);
    AppendRequest.Builder message =
        AppendRequest.newBuilder()
            .setId(id)
            .setLedgerId(WireBytes.toWire(strand.ledger().digest()))
            .setStrand(strand.strand());
    for (int i = 0; i < batch; i++) {
      SignedRequest request =
          RequestDraft.append(strand, random(PAYLOAD_BYTES), "", nowMs, random(SALT_BYTES)).build();
      requests.add(request);
      hashes.add(RequestHeader.hash(request.header()));
      message.addRequests(
          io.tallystick.api.v1.SignedRequest.newBuilder()
              .setHeader(WireBytes.toWire(request.header()))
              .setSalt(WireBytes.toWire(request.salt()))
              .setBody(WireBytes.toWire(request.body())));
    }
    Bytes attestation = RequestSigner.signBatch(strand, hashes, List.of(owner)).encode();
    sent.put(id, new Sent(strand, requests, Attestation.hash(attestation)));
    return message.setAttestation(WireBytes.toWire(attestation)).build();
  }

  private Bytes random(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  @Override
  public void onNext(AppendResponse answer) {
    try {
      verify(answer);
    } catch (Exception e) {
      failure.compareAndSet(null, e);
    } finally {
      permits.release();
    }
  }

  private void verify(AppendResponse answer) throws Exception {
    Sent submission = sent.remove(answer.getId());
    if (submission == null || !answer.hasReceipted()) {
      throw new IllegalStateException("answered with " + answer);
    }
    Receipted receipted = answer.getReceipted();
    int count = submission.requests().size();
    List<Bytes> leaves = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      leaves.add(
          new JournalLeaf(
                  new Jsn(receipted.getFirstJsn() + i),
                  receipted.getTimeMs(),
                  submission.requests().get(i).header(),
                  submission.attestHash(),
                  i,
                  count)
              .encode());
    }
    RangeReceipt.decode(WireBytes.bytes(receipted.getRangeReceipt()))
        .verify(leaves, submission.strand(), keys, signatures);
    verified.addAndGet(count);
  }

  @Override
  public void onError(Throwable cause) {
    failure.compareAndSet(null, cause);
    permits.release(IN_FLIGHT);
  }

  @Override
  public void onCompleted() {}
}
