package io.tallystick.server.certificate;

import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.Extension;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Member;
import io.tallystick.node.MemberCertificates;
import io.tallystick.server.certificate.KeptChains.Name;
import io.tallystick.server.removal.Stillness;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The chains of a shard's ledgers: {@link KeptChains on the disk}, each written by itself, and in
/// memory which there are and until when they wait. A chain is kept before the grant that names it
/// is submitted, and marked when the grant is sealed; a replay marks it again. So no crash loses a
/// chain that a grant names, and one that none names is dropped a day after it has waited.
///
/// The log is complete without them.
public final class ChainTable implements MemberCertificates {
  /// A grant may be judged by a chain that waits no longer than this beyond its time, and is sealed
  /// within it.
  private static final long DROPPED_AFTER_MS = 24L * 60 * 60 * 1000;

  private final KeptChains chains;
  private final Stillness still;
  private final InstantSource clock;
  private final ChainTrust trust;
  private final Map<LedgerId, Map<Digest, Long>> untilMs = new HashMap<>();

  private ChainTable(KeptChains chains, Stillness still, InstantSource clock, ChainTrust trust) {
    this.chains = chains;
    this.still = still;
    this.clock = clock;
    this.trust = trust;
  }

  /// Reads what is kept.
  ///
  /// @param objects in which the chains are, and nothing else
  /// @param still while it is held nothing is erased or dropped
  /// @param trust of this process
  /// @throws CorruptStreamException if a row does not decode, or is not the one its key names
  public static ChainTable open(
      MetaStore meta, ObjectStore objects, Stillness still, InstantSource clock, ChainTrust trust)
      throws IOException, CorruptStreamException {
    KeptChains chains = new KeptChains(meta, objects);
    ChainTable table = new ChainTable(chains, still, clock, trust);
    boolean mayDelete = still.beginChange();
    try {
      chains
          .open(mayDelete)
          .forEach((name, until) -> table.entries(name.ledger()).put(name.certDigest(), until));
    } finally {
      if (mayDelete) {
        still.endChange();
      }
    }
    return table;
  }

  private Map<Digest, Long> entries(LedgerId ledger) {
    return untilMs.computeIfAbsent(ledger, _ -> new TreeMap<>());
  }

  /// From now on chains lead to one of these, in later openings too.
  public void trust(CertificateAuthorities trusted) {
    trust.trust(trusted);
  }

  @Override
  public long show(LedgerId ledger, CertificateChain chain) throws RequestRejectedException {
    long now = clock.millis();
    trust.verify(chain, now);
    return keep(ledger, chain, now);
  }

  private synchronized long keep(LedgerId ledger, CertificateChain chain, long now)
      throws RequestRejectedException {
    Digest digest = chain.digest();
    Map<Digest, Long> entries = entries(ledger);
    if (entries.getOrDefault(digest, 0L) == Member.NEVER) {
      return Member.NEVER;
    }
    List<Digest> dropped = roomIn(entries, digest, now);
    long until = now + WAITING_MS;
    boolean mayDrop = !dropped.isEmpty() && still.beginChange();
    try {
      List<Name> others = mayDrop ? names(ledger, dropped) : List.of();
      change(() -> chains.keep(new Name(ledger, digest), chain, until, others));
      if (mayDrop) {
        dropped.forEach(entries::remove);
      }
    } finally {
      if (mayDrop) {
        still.endChange();
      }
    }
    entries.put(digest, until);
    return until;
  }

  private static List<Name> names(LedgerId ledger, List<Digest> digests) {
    return digests.stream().map(each -> new Name(ledger, each)).toList();
  }

  /// Those that have waited long enough give way.
  private static List<Digest> roomIn(Map<Digest, Long> entries, Digest further, long now)
      throws RequestRejectedException {
    List<Digest> dropped = new ArrayList<>();
    int waiting = 0;
    for (var each : entries.entrySet()) {
      long until = each.getValue();
      if (until != Member.NEVER && !each.getKey().equals(further)) {
        if (hasWaited(until, now)) {
          dropped.add(each.getKey());
        } else {
          waiting++;
        }
      }
    }
    if (waiting >= WAITING_MAX) {
      throw new RequestRejectedException(
              RejectionCode.RATE_LIMITED,
              WAITING_MAX + " certificate chains of this ledger wait for a grant; erase some")
          .withLimit(WAITING_MAX);
    }
    return dropped;
  }

  private static boolean hasWaited(long untilMs, long now) {
    return untilMs < now - DROPPED_AFTER_MS;
  }

  @Override
  public synchronized void dropExpired() throws RequestRejectedException {
    if (still.beginChange()) {
      try {
        dropExpired(clock.millis());
      } finally {
        still.endChange();
      }
    }
  }

  private void dropExpired(long now) throws RequestRejectedException {
    for (LedgerId ledger : List.copyOf(untilMs.keySet())) {
      Map<Digest, Long> entries = entries(ledger);
      List<Digest> dropped = new ArrayList<>();
      entries.forEach((digest, until) -> {
        if (hasWaited(until, now)) {
          dropped.add(digest);
        }
      });
      if (!dropped.isEmpty()) {
        change(() -> chains.drop(names(ledger, dropped)));
        dropped.forEach(entries::remove);
      }
      if (entries.isEmpty()) {
        untilMs.remove(ledger);
      }
    }
  }

  @Override
  public synchronized Optional<CertificateChain> find(LedgerId ledger, Digest certDigest)
      throws RequestRejectedException {
    return kept(ledger, certDigest, Member.NEVER);
  }

  /// @param leastMs until when it is kept at least
  private Optional<CertificateChain> kept(LedgerId ledger, Digest certDigest, long leastMs)
      throws RequestRejectedException {
    Long until = untilMs.getOrDefault(ledger, Map.of()).get(certDigest);
    if (until == null || until < leastMs) {
      return Optional.empty();
    }
    try {
      return chains.find(new Name(ledger, certDigest));
    } catch (IOException e) {
      throw failed(e);
    } catch (MalformedException | CorruptStreamException e) {
      throw damaged(e, certDigest);
    }
  }

  /// The chain that a request names, read before it is sequenced: the sequencer reads no disk for
  /// it. Empty also if the chain is not kept: a repeat of a grant is answered without it. Waits for
  /// nothing unless the request names a chain.
  public Optional<CertificateChain> namedBy(RequestHeader header) throws RequestRejectedException {
    Optional<Digest> digest = digest(header.extension());
    if (digest.isEmpty() || !trust.hasAuthorities()) {
      return Optional.empty();
    }
    synchronized (this) {
      return kept(header.strand().ledger(), digest.get(), clock.millis());
    }
  }

  /// A journal of this ledger is sealed, or replayed: the chain that it names is kept for good. An
  /// erased one stays so.
  public void sealed(RequestHeader header) throws IOException, CorruptStreamException {
    Optional<Digest> named = digest(header.extension());
    if (named.isPresent()) {
      keepForGood(header.strand().ledger(), named.get());
    }
  }

  private synchronized void keepForGood(LedgerId ledger, Digest named)
      throws IOException, CorruptStreamException {
    Long until = untilMs.getOrDefault(ledger, Map.of()).get(named);
    if (until == null || until == Member.NEVER) {
      return;
    }
    try {
      chains.keepUntil(new Name(ledger, named), Member.NEVER);
      entries(ledger).put(named, Member.NEVER);
    } catch (MalformedException e) {
      throw new CorruptStreamException("certificate rows", 0, named + ": " + e.getMessage());
    }
  }

  private static Optional<Digest> digest(@Nullable Extension extension) {
    return extension instanceof Extension.Grant grant ? grant.certDigest() : Optional.empty();
  }

  @Override
  public synchronized boolean erase(LedgerId ledger, Digest certDigest)
      throws RequestRejectedException {
    Map<Digest, Long> entries = untilMs.getOrDefault(ledger, Map.of());
    if (!entries.containsKey(certDigest)) {
      return false;
    }
    if (!still.beginChange()) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "a backup is being made, and nothing is erased meanwhile");
    }
    try {
      entries.put(certDigest, 0L); // if this fails, what is left of it waits for nothing
      change(() -> chains.erase(new Name(ledger, certDigest)));
      entries.remove(certDigest);
      return true;
    } finally {
      still.endChange();
    }
  }

  private interface Change {
    void run() throws IOException, MalformedException;
  }

  private static void change(Change change) throws RequestRejectedException {
    try {
      change.run();
    } catch (IOException e) {
      throw failed(e);
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "the rows of certificates: " + e.getMessage(), e);
    }
  }

  private static RequestRejectedException damaged(Exception e, Digest certDigest) {
    return new RequestRejectedException(
        RejectionCode.DAMAGED, "certificate chain " + certDigest + ": " + e.getMessage(), e);
  }

  private static RequestRejectedException failed(IOException e) {
    return new RequestRejectedException(
        e instanceof DiskFullException ? RejectionCode.STORAGE_FULL : RejectionCode.UNAVAILABLE,
        "the store of certificates failed: " + e.getMessage(),
        e);
  }
}
