package io.tallystick.client.trust;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// The keys of one ledger's service, followed through its rotations. A key chain is verified
/// against genesis, the heads in it are joined to the log, and it is on the disk before a head is
/// believed by the keys it shows: so whoever reads the stored head can verify it. Thread-safe.
final class FollowedKeys {
  private static final int REPLACE_ATTEMPTS_MAX = 8;

  private final ServiceTrust genesis;
  private final StrandId strand;
  private final Signatures signatures;
  private final TrustFolder folder;
  private final KeyChainSource source;
  // Held while the service is asked, so that it is asked once for many receipts by one new key.
  private final ReentrantLock asking = new ReentrantLock();
  private volatile ServiceTrust newest;

  /// Joins a head of a key chain to the trusted log.
  @FunctionalInterface
  interface HeadJoin {
    void join(SignedHead head) throws TallyException;
  }

  /// With what the folder holds. The stored head is to be read before this.
  FollowedKeys(
      ServiceTrust genesis, Signatures signatures, TrustFolder folder, KeyChainSource source)
      throws TrustStoreException {
    this.genesis = genesis;
    this.strand = genesis.strand();
    this.signatures = signatures;
    this.folder = folder;
    this.source = source;
    Optional<Bytes> chain = folder.keyChain();
    this.newest = chain.isEmpty() ? genesis : stored(folder, chain.get(), genesis, signatures);
  }

  /// The trust that a folder holds of a ledger.
  static ServiceTrust saved(TrustFolder folder, ServiceTrust genesis, Signatures signatures)
      throws TrustStoreException {
    Optional<Bytes> chain = folder.keyChain();
    return chain.isEmpty() ? genesis : stored(folder, chain.get(), genesis, signatures);
  }

  private static ServiceTrust stored(
      TrustFolder folder, Bytes chain, ServiceTrust genesis, Signatures signatures)
      throws TrustStoreException {
    try {
      return genesis.with(KeyChain.decode(chain), signatures);
    } catch (MalformedException | ProofRejectedException e) {
      throw new TrustStoreException(
          String.format(
              Locale.ROOT,
              "the key chain in %s is damaged: %s",
              folder.directory(),
              e.getMessage()),
          e);
    }
  }

  ServiceTrust trust() {
    return newest;
  }

  /// Fetches the key chain, if no more keys are known than `known` has.
  ///
  /// @return whether more keys are known now
  /// @throws ProofRejectedException if the service's key chain proves nothing
  boolean follow(ServiceTrust known, HeadJoin log) throws TallyException, ProofRejectedException {
    asking.lock();
    try {
      if (newest.rotations() > known.rotations()) {
        return true;
      }
      ServiceTrust.Followed shown = known.following(source.fetch(strand), signatures);
      if (shown.trust().rotations() == known.rotations()) {
        return false;
      }
      for (SignedHead head : shown.newHeads()) {
        log.join(head);
      }
      store(shown.trust());
      return true;
    } finally {
      asking.unlock();
    }
  }

  /// Takes over the key chain that another process has followed: it writes the chain before the
  /// head that needs it.
  void reread() throws TrustStoreException {
    Optional<Bytes> chain = folder.keyChain();
    if (chain.isPresent() && !chain.get().equals(newest.chain().encode())) {
      advance(stored(folder, chain.get(), genesis, signatures));
    }
  }

  private void store(ServiceTrust next) throws TallyException, ProofRejectedException {
    Bytes encoded = next.chain().encode();
    for (int attempt = 1; attempt <= REPLACE_ATTEMPTS_MAX; attempt++) {
      Optional<Bytes> there = folder.keyChain();
      ServiceTrust other =
          there.isEmpty() ? genesis : stored(folder, there.get(), genesis, signatures);
      if (other.rotations() >= next.rotations()) {
        checkOneChain(next, other);
        advance(other);
        return;
      }
      if (folder.replaceKeyChain(there, encoded)) {
        advance(next);
        return;
      }
    }
    throw new TrustStoreException(
        "the key chain in " + folder.directory() + " is changed faster than it is read");
  }

  private static void checkOneChain(ServiceTrust shown, ServiceTrust stored)
      throws ProofRejectedException {
    int terms = shown.keys().terms().size();
    if (!stored.keys().terms().subList(0, terms).equals(shown.keys().terms())) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN, "the key chain contradicts the one in the trust directory");
    }
  }

  private synchronized void advance(ServiceTrust to) {
    if (to.rotations() > newest.rotations()) {
      newest = to;
    }
  }
}
