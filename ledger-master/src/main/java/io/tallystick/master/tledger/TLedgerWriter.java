package io.tallystick.master.tledger;

import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.LedgerNode;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.tledger.EntryInclusion;
import io.tallystick.tledger.HeadEntry;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/// Checks heads of other ledgers and appends them to a T-Ledger, as its member does: many in one
/// batch under one signature. One head of a ledger is under way at a time. Thread-safe.
public final class TLedgerWriter implements TLedgerDoor, AutoCloseable {
  static final int BATCH_MAX = 1_000;
  static final int WAITING_MAX = 10_000;

  /// Ledgers that are remembered, some 4 KiB each; what is forgotten is read again.
  static final int SUBMITTERS_MAX = 8_192;

  /// A head that is submitted again so soon is answered as before; later it is entered again.
  static final long SAME_ANSWER_MS = 5_000;

  /// How long an entry may wait for its batch; a submitter waits no longer for the answer.
  static final long WAIT_MS_MAX = 10_000;

  private final LedgerNode node;
  private final StrandId strand;
  private final Signer writer;
  private final Signatures signatures;
  private final HeldEntries held;
  private final SubmitterRule rule;
  private final ForkShelf forks;
  private final SubmissionVerifier verifier;
  private final SecureRandom random = new SecureRandom();
  private final Map<LedgerId, Submitter> submitters = new ConcurrentHashMap<>();
  private final BlockingQueue<WaitingHead> waiting = new ArrayBlockingQueue<>(WAITING_MAX);

  /// Set before {@link #waiting} is emptied for good: who comes later takes its head out again.
  private volatile boolean closed;

  private final Thread batches = Thread.ofPlatform().name("t-ledger").unstarted(this::run);

  /// @param tLedger held by `node`
  /// @param writer a member that may append
  public TLedgerWriter(
      LedgerNode node,
      LedgerId tLedger,
      Signer writer,
      Signatures signatures,
      SubmitterRule rule,
      ForkShelf forks) {
    this.node = node;
    this.strand = new StrandId(tLedger, 0);
    this.writer = writer;
    this.signatures = signatures;
    this.held = new HeldEntries(node, strand);
    this.rule = rule;
    this.forks = forks;
    this.verifier = new SubmissionVerifier(signatures, Set.of(Feature.CLUE_TRIE));
  }

  public void start() {
    batches.start();
  }

  @Override
  public LedgerId tLedger() {
    return strand.ledger();
  }

  @Override
  public OptionalLong lastSize(LedgerId ledger) throws RequestRejectedException {
    return held.lastSize(ledger);
  }

  @Override
  public Bytes genesisParams() throws RequestRejectedException {
    return node.ledger(strand.ledger()).genesisParams();
  }

  @Override
  public KeyChain keyChain() throws RequestRejectedException {
    return node.keyChain(strand.ledger());
  }

  /// Hands the head to the next batch.
  @Override
  public CompletableFuture<TakenHead> take(SubmittedHead submitted, SubmitterRule.Caller caller)
      throws RequestRejectedException {
    LedgerId ledger = Commitments.ledgerId(submitted.genesisParams());
    StrandId of = new StrandId(ledger, 0);
    SubmitterRule.Place place = rule.admit(ledger, caller, isKnown(ledger));
    HeadEntry entry;
    ServiceKeys keys;
    try {
      entry = HeadEntry.decode(submitted.entry());
      keys = keys(of, submitted);
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, String.valueOf(e.getMessage()), e);
    } catch (ProofRejectedException e) {
      throw refused("the key chain: " + e.getMessage(), e);
    }
    forgetIdle();
    while (true) {
      Submitter submitter = submitters.computeIfAbsent(ledger, _ -> new Submitter());
      synchronized (submitter) {
        if (submitter.forgotten()) {
          continue;
        }
        if (!submitter.begin()) {
          throw new RequestRejectedException(
              RejectionCode.RATE_LIMITED, "another head of ledger " + ledger + " is under way");
        }
        try {
          return enqueue(
              of,
              submitter,
              new Shown(submitted.entry(), entry, submitted.keyChain()),
              keys,
              place);
        } catch (RequestRejectedException | RuntimeException e) {
          refused(ledger, submitter);
          throw e;
        }
      }
    }
  }

  private boolean isKnown(LedgerId ledger) throws RequestRejectedException {
    return submitters.containsKey(ledger) || held.newestNote(ledger).isPresent();
  }

  /// Makes room for another one: ids are hashes, so it is by chance who goes.
  private void forgetIdle() {
    if (submitters.size() < SUBMITTERS_MAX) {
      return;
    }
    for (Map.Entry<LedgerId, Submitter> each : submitters.entrySet()) {
      synchronized (each.getValue()) {
        if (each.getValue().idle()) {
          forget(each.getKey(), each.getValue());
        }
      }
      if (submitters.size() < SUBMITTERS_MAX) {
        return;
      }
    }
  }

  private ServiceKeys keys(StrandId of, SubmittedHead submitted)
      throws MalformedException, ProofRejectedException {
    Submitter known = submitters.get(of.ledger());
    Optional<ServiceKeys> keys =
        known == null ? Optional.empty() : known.keys(submitted.keyChain());
    return keys.isPresent()
        ? keys.get()
        : KeyChain.decode(submitted.keyChain())
            .verify(submitted.genesisParams(), of, signatures)
            .keys();
  }

  /// An entry with its one encoding, and the chain that led to its keys.
  private record Shown(Bytes encoded, HeadEntry entry, Bytes keyChain) {}

  /// How many ledgers are remembered: those that have a head here or one under way.
  public int submitters() {
    return submitters.size();
  }

  /// Its head was not taken. To be called with its monitor held.
  private void refused(LedgerId ledger, Submitter submitter) {
    submitter.refused();
    if (submitter.last().isEmpty()) {
      forget(ledger, submitter);
    }
  }

  /// Whoever comes next reads the ledger's newest head again. To be called with its monitor held.
  private void forget(LedgerId ledger, Submitter submitter) {
    submitter.forget();
    submitters.remove(ledger, submitter);
  }

  private CompletableFuture<TakenHead> enqueue(
      StrandId of, Submitter submitter, Shown shown, ServiceKeys keys, SubmitterRule.Place place)
      throws RequestRejectedException {
    if (!submitter.continuedBy(keys)) {
      throw new RequestRejectedException(
          RejectionCode.HEAD_REFUSED, "the key chain lacks a rotation that was shown before");
    }
    if (!submitter.known()) {
      submitter.know(newest(of, keys));
    }
    HeadEntry.Verified verified;
    try {
      verified = shown.entry.verify(of, keys, signatures, submitter.last());
    } catch (ProofRejectedException e) {
      keepFork(of, shown.entry, keys, submitter.last());
      throw refused(String.valueOf(e.getMessage()), e);
    }
    submitter.introduce(shown.keyChain, keys);
    long nowMs = node.timeMs();
    if (verified.sealTimeMs() - nowMs > HeadEntry.SEAL_SKEW_MS_MAX) {
      throw tooEarly(verified.sealTimeMs() - nowMs);
    }
    Optional<TakenHead> before = submitter.answered(verified.head(), nowMs, SAME_ANSWER_MS);
    if (before.isPresent()) {
      submitter.refused();
      return CompletableFuture.completedFuture(before.get());
    }
    place.take();
    WaitingHead next =
        new WaitingHead(
            of.ledger(),
            submitter,
            verified.head(),
            nowMs,
            shown.encoded,
            new CompletableFuture<>());
    if (!waiting.offer(next)) {
      throw new RequestRejectedException(
              RejectionCode.RATE_LIMITED, WAITING_MAX + " heads are waiting")
          .withLimit(WAITING_MAX);
    }
    if (closed && waiting.remove(next)) {
      throw closing();
    }
    return next.outcome();
  }

  private static RequestRejectedException tooEarly(long aheadMs) {
    return new RequestRejectedException(
            RejectionCode.HEAD_REFUSED,
            String.format(
                Locale.ROOT,
                "the head is sealed %d ms ahead of this clock, at most %d",
                aheadMs,
                HeadEntry.SEAL_SKEW_MS_MAX))
        .withLimit(HeadEntry.SEAL_SKEW_MS_MAX);
  }

  private static RequestRejectedException refused(String detail, Exception cause) {
    return new RequestRejectedException(RejectionCode.HEAD_REFUSED, detail, cause);
  }

  /// The newest head of the ledger in the T-Ledger, after a start or an append of unknown outcome.
  private Optional<SignedHead> newest(StrandId of, ServiceKeys keys)
      throws RequestRejectedException {
    Optional<Bytes> note = held.newestNote(of.ledger());
    try {
      return note.isEmpty()
          ? Optional.empty()
          : Optional.of(Checkpoint.verify(note.get(), of, keys, signatures));
    } catch (ProofRejectedException e) {
      throw refused("the key chain does not judge the last head: " + e.getMessage(), e);
    }
  }

  /// Two heads of the submitter's that exclude each other convict it.
  private void keepFork(StrandId of, HeadEntry entry, ServiceKeys keys, Optional<SignedHead> last) {
    if (last.isEmpty()) {
      return;
    }
    try {
      SignedHead head = Checkpoint.verify(entry.note(), of, keys, signatures);
      long from = last.get().size().value();
      Optional<ConsistencyProof> proof =
          entry
              .growth()
              .filter(growth -> growth.from() == from)
              .map(growth -> new ConsistencyProof(from, head.size().value(), growth.path()))
              .filter(path -> path.from() < path.to());
      ForkEvidence evidence =
          new ForkEvidence(last.get().evidence().encoded(), entry.note(), proof);
      evidence.confirm(of, keys, signatures);
      if (forks.wants(of.ledger())) {
        forks.keep(of.ledger(), evidence);
      }
    } catch (ProofRejectedException _) {
      // A head that is merely wrong, or another's: no evidence.
    }
  }

  private void run() {
    List<WaitingHead> batch = new ArrayList<>();
    try {
      while (!closed) {
        batch.add(waiting.take());
        waiting.drainTo(batch, BATCH_MAX - 1);
        append(young(batch));
        batch.clear();
      }
    } catch (InterruptedException _) {
      // Closed.
    } finally {
      refuseWaiting(batch);
    }
  }

  private void refuseWaiting(List<WaitingHead> batch) {
    closed = true;
    waiting.drainTo(batch);
    batch.forEach(each -> each.outcome().completeExceptionally(closing()));
  }

  /// Those that did not wait too long; the others are refused, since nobody waits for them.
  private List<WaitingHead> young(List<WaitingHead> batch) {
    long nowMs = node.timeMs();
    List<WaitingHead> young = new ArrayList<>(batch.size());
    for (WaitingHead each : batch) {
      if (nowMs - each.sinceMs() <= WAIT_MS_MAX) {
        young.add(each);
        continue;
      }
      synchronized (each.submitter()) {
        refused(each.ledger(), each.submitter());
      }
      each.outcome()
          .completeExceptionally(
              new RequestRejectedException(
                  RejectionCode.UNAVAILABLE,
                  "the head waited " + (nowMs - each.sinceMs()) + " ms for its batch"));
    }
    return young;
  }

  private static RequestRejectedException closing() {
    return new RequestRejectedException(RejectionCode.UNAVAILABLE, "the T-Ledger is closing");
  }

  private void append(List<WaitingHead> batch) {
    if (batch.isEmpty()) {
      return;
    }
    List<SignedRequest> requests = new ArrayList<>(batch.size());
    try {
      long nowMs = node.timeMs();
      for (WaitingHead each : batch) {
        requests.add(request(each, nowMs));
      }
      Bytes attestation = sign(requests).encode();
      AppendTicket ticket =
          node.append(
              verifier.verify(
                  strand,
                  requests,
                  attestation,
                  kid -> Optional.of(writer.publicKey()).filter(key -> key.kid().equals(kid))));
      CompletableFuture<?> _ =
          ticket
              .receipted()
              .whenComplete((receipted, failure) -> {
                if (receipted == null) {
                  fail(batch, failure);
                } else {
                  answer(batch, requests, receipted);
                }
              });
    } catch (RequestRejectedException | RuntimeException | Error e) {
      fail(batch, e);
    }
  }

  private SignedRequest request(WaitingHead head, long nowMs) {
    byte[] salt = new byte[Limits.SALT_BYTES];
    random.nextBytes(salt);
    return RequestDraft.append(
            strand, head.entry(), HeadEntry.CONTENT_TYPE, nowMs, Bytes.wrap(salt))
        .withClues(List.of(EntryInclusion.clue(head.ledger())))
        .withExpiry(nowMs + WAIT_MS_MAX)
        .build();
  }

  private Attestation sign(List<SignedRequest> requests) {
    List<Digest> hashes =
        requests.stream().map(request -> RequestHeader.hash(request.header())).toList();
    return hashes.size() == 1
        ? RequestSigner.sign(strand, hashes.getFirst(), List.of(writer))
        : RequestSigner.signBatch(strand, hashes, List.of(writer));
  }

  /// Whether the entries are durable is not known.
  private void fail(List<WaitingHead> batch, Throwable failure) {
    for (WaitingHead each : batch) {
      synchronized (each.submitter()) {
        forget(each.ledger(), each.submitter());
      }
      each.outcome().completeExceptionally(failure);
    }
  }

  private void answer(
      List<WaitingHead> batch, List<SignedRequest> requests, AppendTicket.Receipted receipted) {
    long first = receipted.committed().firstJsn();
    try {
      List<Bytes> leaves = leaves(first, requests);
      List<Receipt> receipts = RangeReceipt.decode(receipted.rangeReceipt()).split(leaves);
      for (int i = 0; i < batch.size(); i++) {
        WaitingHead each = batch.get(i);
        SignedRequest request = requests.get(i);
        TakenHead taken =
            new TakenHead(
                strand.ledger(),
                new ReceiptFile(leaves.get(i), receipts.get(i)).encode(),
                request.salt(),
                request.body());
        synchronized (each.submitter()) {
          each.submitter().taken(each.head(), taken, each.sinceMs());
        }
        each.outcome().complete(taken);
      }
    } catch (RequestRejectedException
        | MalformedException
        | ProofRejectedException
        | RuntimeException
        | Error e) { // nobody else would answer those who wait
      fail(batch, e);
    }
  }

  /// One is read: the others of a batch have its time, its signers and its mark.
  private List<Bytes> leaves(long first, List<SignedRequest> requests)
      throws RequestRejectedException, MalformedException, ProofRejectedException {
    if (!(Leaf.decode(node.journal(strand, first, false).leaf()) instanceof JournalLeaf read)) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.WRONG_TYPE, "no journal stands at " + first);
    }
    int count = requests.size();
    List<Bytes> leaves = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      leaves.add(
          new JournalLeaf(
                  new Jsn(first + i),
                  read.timeMs(),
                  requests.get(i).header(),
                  read.attestHash(),
                  i,
                  count,
                  read.delegated())
              .encode());
    }
    return leaves;
  }

  @Override
  public void close() {
    closed = true;
    batches.interrupt();
    try {
      batches.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
