package io.tallystick.client.trust;

import io.tallystick.client.failure.HeadNotWitnessedException;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ForkException;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.head.TrustRule;
import io.tallystick.head.TrustedHead;
import io.tallystick.merkle.RangeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The one log this client has seen of a strand. {@link #join} returns only when a head is known to
/// be a head of it, and the newest such head is on the disk.
///
/// Cost. Heads that arrive together are joined together, in order of size, by whichever thread
/// comes first: one consistency proof per distinct head at most, one forced write for all. No proof
/// is asked for
///
/// - a head that was joined before (all receipts of a block state the same one), nor
/// - a head that comes with a range receipt beginning exactly where the trusted tree ends: the
///   subtree roots left of the range are then the trusted tree's own, and folding them gives its
///   root. A client that writes alone is always in this case.
///
/// Thread-safe. Waiting threads are parked.
public final class TrustedLog implements AutoCloseable {
  /// Heads remembered besides the newest, so that late receipts of recent blocks cost nothing.
  private static final int JOINED_MAX = 1024;

  private static final int REPLACE_ATTEMPTS_MAX = 8;

  /// A ledger has one strand for now.
  private static final int STRAND = 0;

  private final FollowedKeys keys;
  private final StrandId strand;
  private final Signatures signatures;
  private final TrustFolder folder;
  private final HeadFile headFile;
  private final HeadJoins joins;
  private final EvidenceFile evidence;
  private final Optional<WitnessedHeads> witnessed;
  private final AtomicReference<@Nullable VerificationException> alarm = new AtomicReference<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final ConcurrentLinkedQueue<Joining> arrived = new ConcurrentLinkedQueue<>();
  private final Map<TreeSize, SignedHead> joined =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<TreeSize, SignedHead> eldest) {
          return size() > JOINED_MAX;
        }
      };
  private volatile @Nullable TrustedHead trusted;
  private volatile SetAnchors anchors;
  private Optional<Bytes> stored;

  private TrustedLog(
      ServiceTrust genesis,
      Signatures signatures,
      TrustFolder folder,
      ConsistencySource proofs,
      KeyChainSource keyChains,
      Optional<WitnessedHeads.Demand> demand)
      throws TrustStoreException {
    this.witnessed = demand.map(demanded -> new WitnessedHeads(this, demanded));
    this.strand = genesis.strand();
    this.signatures = new RememberingSignatures(signatures);
    this.folder = folder;
    this.joins = new HeadJoins(strand, proofs);
    this.evidence = new EvidenceFile(folder, this::trust);
    this.headFile = folder.headFile(strand);
    // Another process writes keys, head and anchors in this order: so they are read in the reverse.
    List<Bytes> anchored = folder.anchors(strand);
    this.stored = folder.head(headFile);
    this.keys = new FollowedKeys(genesis, this.signatures, folder, keyChains);
    if (stored.isPresent()) {
      trusted =
          TrustRule.first(
              StoredHead.verify(headFile.path(), stored.get(), keys.trust(), this.signatures));
      folder.headIsStored();
    }
    this.anchors = SetAnchors.of(anchored, folder, keys.trust(), this.signatures, head());
    this.anchors.all().forEach(anchor -> joined.put(anchor.size(), anchor));
  }

  /// Begins with the head and the key chain that the folder holds, if it holds them.
  ///
  /// @param genesis with the keys of genesis alone
  /// @param keyChains asked when something is signed by a key that is not known yet
  public static TrustedLog open(
      ServiceTrust genesis,
      Signatures signatures,
      TrustFolder folder,
      ConsistencySource proofs,
      KeyChainSource keyChains)
      throws TrustStoreException {
    return new TrustedLog(genesis, signatures, folder, proofs, keyChains, Optional.empty());
  }

  /// The same, of heads that witnesses must have cosigned.
  ///
  /// @param cosigned where the newest cosigned checkpoint comes from
  public static TrustedLog open(
      ServiceTrust genesis,
      Signatures signatures,
      TrustFolder folder,
      ConsistencySource proofs,
      KeyChainSource keyChains,
      WitnessQuorum quorum,
      CosignedSource cosigned)
      throws TrustStoreException {
    WitnessedHeads.Demand demand = new WitnessedHeads.Demand(quorum, cosigned);
    return new TrustedLog(genesis, signatures, folder, proofs, keyChains, Optional.of(demand));
  }

  /// The head a trust directory holds of a ledger, read without any service; empty if there is
  /// none.
  public static Optional<SignedHead> saved(
      Path trustDirectory, LedgerId pinned, Signatures signatures) throws TallyException {
    TrustFolder folder = TrustFolder.open(trustDirectory, pinned);
    Optional<Bytes> genesis = folder.genesis();
    HeadFile file = folder.headFile(new StrandId(pinned, STRAND));
    if (genesis.isEmpty()) {
      folder.checkNoHead(file);
      return Optional.empty();
    }
    try {
      Optional<Bytes> head = folder.head(file);
      ServiceTrust trust =
          FollowedKeys.saved(
              folder, ServiceTrust.of(pinned, genesis.get(), signatures), signatures);
      return head.isEmpty()
          ? Optional.empty()
          : Optional.of(StoredHead.verify(file.path(), head.get(), trust, signatures));
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }

  /// The head statement in a head file of a trust directory; any other content as it is. It is not
  /// verified.
  ///
  /// @throws MalformedException if it begins as a head file and is damaged
  public static Bytes statementIn(Bytes file) throws MalformedException {
    byte[] content = file.toArray();
    return HeadSlots.isSlots(content) ? HeadSlots.newest(content).content() : file;
  }

  /// The keys known so far.
  public ServiceTrust trust() {
    return keys.trust();
  }

  /// A statement of the service's, to be verified by the keys of its ledger.
  ///
  /// @param <T> what is verified
  @FunctionalInterface
  public interface Judgement<T> {
    T by(ServiceKeys keys) throws ProofRejectedException;
  }

  /// Judges a statement by the keys known so far, and if it is signed by another one, by those that
  /// the ledger's key chain shows. An invalid chain is a failure like an invalid statement.
  public <T> T judge(Judgement<T> statement) throws ProofRejectedException, TallyException {
    ServiceTrust known = keys.trust();
    try {
      return statement.by(known.keys());
    } catch (ProofRejectedException e) {
      if (e.reason() != Reason.WRONG_KEY || !follows(known, e)) {
        throw e;
      }
      return statement.by(keys.trust().keys());
    }
  }

  private boolean follows(ServiceTrust known, ProofRejectedException why)
      throws ProofRejectedException, TallyException {
    try {
      return keys.follow(known, this::joinUnwitnessed);
    } catch (RequestRefusedException e) {
      // A service that shows no chain has not said whose key that is.
      why.addSuppressed(e);
      return false;
    } catch (ProofRejectedException | TallyException e) {
      e.addSuppressed(why);
      throw e;
    }
  }

  /// Looks for rotations, also those that nothing signed has shown yet.
  ///
  /// @return the keys known then
  public ServiceTrust followKeys() throws TallyException {
    try {
      keys.follow(keys.trust(), this::joinUnwitnessed);
      return keys.trust();
    } catch (ProofRejectedException e) {
      throw refused(e);
    }
  }

  /// To verify heads of this log with: one signature under many receipts is verified once.
  public Signatures signatures() {
    return signatures;
  }

  /// The newest head that may be believed: with a quorum the newest that enough witnesses were seen
  /// to have cosigned, else {@link #head}.
  public Optional<SignedHead> believed() {
    return witnessed.isPresent() ? witnessedHead() : head();
  }

  /// The newest head that enough witnesses were seen to have cosigned; empty without a quorum.
  public Optional<SignedHead> witnessedHead() {
    return witnessed.flatMap(WitnessedHeads::head);
  }

  /// The newest head that was joined; empty before the first.
  public Optional<SignedHead> head() {
    TrustedHead now = trusted;
    return now == null ? Optional.empty() : Optional.of(now.head());
  }

  /// Sets a head as a trusted anchor, durably, after joining it: up to it nothing is verified
  /// again. 64 are kept; for a further one the smallest gives way.
  public void setAnchor(SignedHead head) throws TallyException {
    join(head);
    lock.lock();
    try {
      anchors = SetAnchors.add(folder, keys, signatures, head);
    } finally {
      lock.unlock();
    }
  }

  public SetAnchors anchors() {
    return anchors;
  }

  public void join(SignedHead head) throws TallyException {
    join(head, Optional.empty());
  }

  /// @param range that was verified under `head`, if the head came with one
  /// @throws VerificationException if the head does not continue the log, or is not continued by it
  /// @throws HeadNotWitnessedException if a quorum is demanded and has cosigned no head as large;
  ///   the head stays joined
  public void join(SignedHead head, Optional<RangeProof> range) throws TallyException {
    joinUnwitnessed(head, range);
    awaitWitnesses(head);
  }

  /// The second part of {@link #join}, for a head that was joined before.
  public void awaitWitnesses(SignedHead head) throws TallyException {
    if (witnessed.isPresent()) {
      witnessed.get().await(head);
    }
  }

  /// Joins a head that no witness can have seen yet, or that comes from them.
  public void joinUnwitnessed(SignedHead head) throws TallyException {
    joinUnwitnessed(head, Optional.empty());
  }

  private void joinUnwitnessed(SignedHead head, Optional<RangeProof> range) throws TallyException {
    Joining joining = new Joining(head, range);
    arrived.add(joining);
    joinArrivals();
    joining.await();
    if (joining.failure != null) {
      throw joining.failure;
    }
  }

  /// Joins what has arrived unless another thread is at it: that one looks again before it goes, so
  /// nobody queues for the lock and no arrival is forgotten.
  private void joinArrivals() {
    while (!arrived.isEmpty() && lock.tryLock()) {
      try {
        joinArrived();
      } finally {
        lock.unlock();
      }
    }
  }

  /// Checks a head the service calls its newest against what was trusted *before it was asked*:
  /// later heads may have been joined in the meantime.
  public void joinNewest(Optional<SignedHead> before, SignedHead newest) throws TallyException {
    if (before.isPresent()) {
      try {
        TrustRule.checkNewest(TrustRule.first(before.get()), newest);
      } catch (ProofRejectedException e) {
        throw refused(e);
      }
    }
    join(newest);
  }

  /// A verification failure; if it holds two signed heads, they are written down first.
  public VerificationException refused(ProofRejectedException failure) {
    VerificationException alarming =
        failure instanceof ForkException fork
            ? evidence.write(fork)
            : new VerificationException(failure);
    alarm.compareAndSet(null, alarming);
    return alarming;
  }

  /// The first of them; empty if there was none.
  public Optional<VerificationException> alarm() {
    return Optional.ofNullable(alarm.get());
  }

  private static final class Joining {
    final SignedHead head;
    final Optional<RangeProof> range;
    private final CountDownLatch done = new CountDownLatch(1);
    private boolean settled;
    private volatile @Nullable TallyException failure;

    Joining(SignedHead head, Optional<RangeProof> range) {
      this.head = head;
      this.range = range;
    }

    private void settle(@Nullable TallyException outcome) {
      settled = true;
      failure = outcome;
    }

    private void end() {
      if (!settled) {
        failure = new ServiceUnavailableException("joining the head ended early", true);
      }
      done.countDown();
    }

    /// Ends when the joining thread has come to this head, after that thread's own reads and
    /// writes, which have time-outs.
    private void await() throws ServiceUnavailableException {
      try {
        done.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ServiceUnavailableException("interrupted while a head was joined", true, e);
      }
    }
  }

  // Under the lock, as all below.
  private void joinArrived() {
    List<Joining> batch = new ArrayList<>();
    for (Joining next = arrived.poll(); next != null; next = arrived.poll()) {
      batch.add(next);
    }
    // Those that need no proof first, so that a head found by one's range serves the others.
    batch.sort(
        Comparator.comparing((Joining joining) -> joining.head.size())
            .thenComparing(joining -> !continuesTrusted(joining.range)));
    try {
      joinAll(batch);
    } finally {
      // Heads that were not reached, because something unforeseen ended this thread, fail.
      batch.forEach(Joining::end);
    }
  }

  private void joinAll(List<Joining> batch) {
    TrustedHead before = trusted;
    for (Joining joining : batch) {
      try {
        joinOne(joining);
        joining.settle(null);
      } catch (TallyException e) {
        joining.settle(e);
      }
    }
    try {
      save(before);
    } catch (TallyException e) {
      trusted = before;
      joined.clear();
      batch.forEach(joining -> joining.settle(joining.failure == null ? e : joining.failure));
    }
  }

  private void joinOne(Joining joining) throws TallyException {
    SignedHead head = joining.head;
    TrustedHead now = trusted;
    try {
      SignedHead same = joined.get(head.size());
      if (same != null) {
        TrustRule.accept(TrustRule.first(same), head);
        return;
      }
      trusted = now == null ? TrustRule.first(head) : joins.extend(now, head, joining.range);
      joined.put(head.size(), head);
    } catch (ProofRejectedException e) {
      throw refused(e);
    }
  }

  private boolean continuesTrusted(Optional<RangeProof> range) {
    TrustedHead now = trusted;
    return now != null && HeadJoins.continues(now.head(), range);
  }

  private void save(@Nullable TrustedHead before) throws TallyException {
    for (int attempt = 1; attempt <= REPLACE_ATTEMPTS_MAX; attempt++) {
      TrustedHead now = trusted;
      if (now == null || (before != null && now.head().equals(before.head()))) {
        return;
      }
      Bytes next = now.head().evidence().encoded();
      if (stored.equals(Optional.of(next)) || folder.replaceHead(headFile, stored, next)) {
        if (before == null) {
          folder.headIsStored();
        }
        stored = Optional.of(next);
        return;
      }
      adoptStored();
    }
    throw new TrustStoreException(
        "head of " + strand + " in " + folder.directory() + " is changed faster than it is read");
  }

  /// Another process has moved the stored head: it is one more head to join. Until it is joined it
  /// does not count as ours, and nothing takes its place.
  private void adoptStored() throws TallyException {
    Optional<Bytes> adopted = folder.adoptHead(headFile);
    if (adopted.isPresent()) {
      keys.reread();
      SignedHead other =
          StoredHead.verify(headFile.path(), adopted.get(), keys.trust(), signatures);
      joinOne(new Joining(other, Optional.empty()));
    }
    stored = adopted;
  }

  /// Lets go of the head's file. Nothing is lost: what was joined is on the disk.
  @Override
  public void close() {
    lock.lock();
    try {
      headFile.close();
    } catch (IOException e) {
      throw new UncheckedIOException("closing " + headFile.path(), e);
    } finally {
      lock.unlock();
    }
  }
}
