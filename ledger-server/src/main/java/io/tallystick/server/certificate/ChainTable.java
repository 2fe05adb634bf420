package io.tallystick.server.certificate;

import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.Extension;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Member;
import io.tallystick.node.MemberCertificates;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
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

/// The chains of a shard's ledgers: rows of the meta store, each written by itself, and in memory
/// which there are and until when they wait. A chain is kept before the grant that names it is
/// submitted, and marked when the grant is sealed; a replay marks it again. So no crash loses a
/// chain that a grant names, and one that none names is dropped a day after it has waited.
///
/// The log is complete without them.
public final class ChainTable implements MemberCertificates {
  /// A grant may be judged by a chain that waits no longer than this beyond its time, and is sealed
  /// within it.
  private static final long DROPPED_AFTER_MS = 24L * 60 * 60 * 1000;

  private final MetaStore meta;
  private final InstantSource clock;
  private final ChainTrust trust;
  private final Map<LedgerId, Map<Digest, Long>> untilMs = new HashMap<>();

  private ChainTable(MetaStore meta, InstantSource clock, ChainTrust trust) {
    this.meta = meta;
    this.clock = clock;
    this.trust = trust;
  }

  /// Reads what is kept.
  ///
  /// @param trust of this process
  /// @throws CorruptStreamException if a row does not decode, or is not the one its key names
  public static ChainTable open(MetaStore meta, InstantSource clock, ChainTrust trust)
      throws IOException, CorruptStreamException {
    ChainTable table = new ChainTable(meta, clock, trust);
    List<String> damaged = new ArrayList<>();
    meta.scan(
        ChainRow.PREFIX,
        null,
        (key, row) -> {
          try {
            ChainRow kept = ChainRow.decode(row);
            LedgerId ledger = ChainRow.ledger(key);
            Digest digest = kept.chain().digest();
            if (!key.equals(ChainRow.key(ledger, digest))) {
              throw new MalformedException("row " + key + " holds another chain");
            }
            table.entries(ledger).put(digest, kept.untilMs());
            return true;
          } catch (MalformedException e) {
            damaged.add(String.valueOf(e.getMessage()));
            return false;
          }
        });
    if (!damaged.isEmpty()) {
      throw new CorruptStreamException("certificate rows", 0, damaged.getFirst());
    }
    return table;
  }

  private Map<Digest, Long> entries(LedgerId ledger) {
    return untilMs.computeIfAbsent(ledger, _ -> new TreeMap<>());
  }

  @Override
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
    MetaBatch batch = new MetaBatch();
    List<Digest> dropped = roomIn(entries, digest, now);
    dropped.forEach(each -> batch.delete(ChainRow.key(ledger, each)));
    long until = now + WAITING_MS;
    batch.put(ChainRow.key(ledger, digest), new ChainRow(until, chain).encode());
    write(batch);
    dropped.forEach(entries::remove);
    entries.put(digest, until);
    return until;
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
    long now = clock.millis();
    for (LedgerId ledger : List.copyOf(untilMs.keySet())) {
      Map<Digest, Long> entries = entries(ledger);
      MetaBatch batch = new MetaBatch();
      List<Digest> dropped = new ArrayList<>();
      entries.forEach((digest, until) -> {
        if (hasWaited(until, now)) {
          batch.delete(ChainRow.key(ledger, digest));
          dropped.add(digest);
        }
      });
      if (!dropped.isEmpty()) {
        write(batch);
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
      ChainRow row = row(ledger, certDigest);
      if (row == null) {
        throw new RequestRejectedException(
            RejectionCode.DAMAGED, "the row of certificate chain " + certDigest + " is gone");
      }
      return Optional.of(row.chain());
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private @Nullable ChainRow row(LedgerId ledger, Digest certDigest)
      throws IOException, RequestRejectedException {
    try {
      Bytes row = meta.get(ChainRow.key(ledger, certDigest));
      return row == null ? null : ChainRow.decode(row);
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "certificate chain " + certDigest + ": " + e.getMessage(), e);
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
      ChainRow row = row(ledger, named);
      if (row != null) {
        MetaBatch batch = new MetaBatch();
        batch.put(ChainRow.key(ledger, named), new ChainRow(Member.NEVER, row.chain()).encode());
        meta.write(batch);
        entries(ledger).put(named, Member.NEVER);
      }
    } catch (RequestRejectedException e) {
      throw new CorruptStreamException("certificate rows", 0, String.valueOf(e.getMessage()));
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
    MetaBatch batch = new MetaBatch();
    batch.delete(ChainRow.key(ledger, certDigest));
    write(batch);
    entries.remove(certDigest);
    return true;
  }

  private void write(MetaBatch batch) throws RequestRejectedException {
    try {
      meta.write(batch);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private static RequestRejectedException failed(IOException e) {
    return new RequestRejectedException(
        e instanceof DiskFullException ? RejectionCode.STORAGE_FULL : RejectionCode.UNAVAILABLE,
        "the store of certificates failed: " + e.getMessage(),
        e);
  }
}
