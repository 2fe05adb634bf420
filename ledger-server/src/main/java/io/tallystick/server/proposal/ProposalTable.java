package io.tallystick.server.proposal;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.OpenProposals;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The proposals of a shard's ledgers: rows of the meta store, each written by itself, and in
/// memory what there is, until when, and whether it is open. They are no part of a savepoint, and a
/// log is complete without them.
public final class ProposalTable implements OpenProposals {
  private final MetaStore meta;
  private final InstantSource clock;
  private final Map<LedgerId, NavigableMap<Digest, Entry>> ledgers = new HashMap<>();

  private enum State {
    OPEN,
    SUBMITTING,
    COMMITTED,
    REFUSED
  }

  private record Entry(long expiresMs, State state) {
    static Entry of(KeptProposal kept) {
      State state =
          switch (kept.outcome()) {
            case Outcome.Open _ -> State.OPEN;
            case Outcome.Submitting _ -> State.SUBMITTING;
            case Outcome.Committed _ -> State.COMMITTED;
            case Outcome.Refused _ -> State.REFUSED;
          };
      return new Entry(kept.expiresMs(), state);
    }
  }

  private ProposalTable(MetaStore meta, InstantSource clock) {
    this.meta = meta;
    this.clock = clock;
  }

  /// Reads what is kept.
  ///
  /// @param clock by which proposals expire
  /// @throws CorruptStreamException if a row does not decode, or is not the one its key names
  public static ProposalTable open(MetaStore meta, InstantSource clock)
      throws IOException, CorruptStreamException {
    ProposalTable table = new ProposalTable(meta, clock);
    List<String> damaged = new ArrayList<>();
    meta.scan(
        ProposalRow.PREFIX,
        null,
        (key, row) -> {
          try {
            KeptProposal kept = ProposalRow.decode(row);
            if (!key.equals(ProposalRow.key(kept.ledger(), kept.requestHash()))) {
              throw new MalformedException("row " + key + " holds another proposal");
            }
            table.note(kept);
            return true;
          } catch (MalformedException e) {
            damaged.add(String.valueOf(e.getMessage()));
            return false;
          }
        });
    if (!damaged.isEmpty()) {
      throw new CorruptStreamException("proposal rows", 0, damaged.getFirst());
    }
    return table;
  }

  private void note(KeptProposal kept) {
    ledgers
        .computeIfAbsent(kept.ledger(), _ -> new TreeMap<>())
        .put(kept.requestHash(), Entry.of(kept));
  }

  @Override
  public synchronized Optional<KeptProposal> find(LedgerId ledger, Digest requestHash)
      throws RequestRejectedException {
    Entry entry = entries(ledger).get(requestHash);
    return entry == null || entry.expiresMs < clock.millis()
        ? Optional.empty()
        : Optional.of(read(ledger, requestHash));
  }

  @Override
  public synchronized List<KeptProposal> list(LedgerId ledger, @Nullable Digest after, int limit)
      throws RequestRejectedException {
    long now = clock.millis();
    NavigableMap<Digest, Entry> entries = entries(ledger);
    List<KeptProposal> found = new ArrayList<>();
    for (var each : (after == null ? entries : entries.tailMap(after, false)).entrySet()) {
      if (found.size() == limit) {
        break;
      }
      if (each.getValue().expiresMs >= now) {
        found.add(read(ledger, each.getKey()));
      }
    }
    return List.copyOf(found);
  }

  @Override
  public synchronized boolean replace(@Nullable KeptProposal before, KeptProposal after)
      throws RequestRejectedException {
    LedgerId ledger = after.ledger();
    Optional<KeptProposal> kept = find(ledger, after.requestHash());
    if (!kept.equals(Optional.ofNullable(before))) {
      return false;
    }
    MetaBatch batch = new MetaBatch();
    List<Digest> dropped = kept.isEmpty() ? roomIn(ledger, after.requestHash()) : List.of();
    dropped.forEach(hash -> batch.delete(ProposalRow.key(ledger, hash)));
    batch.put(ProposalRow.key(ledger, after.requestHash()), ProposalRow.encode(after));
    write(batch);
    dropped.forEach(entries(ledger)::remove);
    note(after);
    return true;
  }

  /// What gives way to one more: those that have expired and, if that is not enough, the committed
  /// one that expires first.
  private List<Digest> roomIn(LedgerId ledger, Digest further) throws RequestRejectedException {
    long now = clock.millis();
    NavigableMap<Digest, Entry> entries = entries(ledger);
    List<Digest> dropped = new ArrayList<>();
    Digest committed = null;
    long committedUntilMs = Long.MAX_VALUE;
    for (var each : entries.entrySet()) {
      Entry entry = each.getValue();
      if (entry.expiresMs < now) {
        dropped.add(each.getKey());
      } else if (entry.state == State.COMMITTED && entry.expiresMs < committedUntilMs) {
        committed = each.getKey();
        committedUntilMs = entry.expiresMs;
      }
    }
    if (entries.size() - dropped.size() >= PER_LEDGER_MAX) {
      if (committed == null) {
        throw new RequestRejectedException(
                RejectionCode.TOO_MANY_PROPOSALS,
                String.format(
                    Locale.ROOT,
                    "ledger %s keeps %d proposals; sign, withdraw or let expire some",
                    ledger,
                    PER_LEDGER_MAX))
            .withLimit(PER_LEDGER_MAX);
      }
      dropped.add(committed);
    }
    dropped.remove(further); // an expired one of the same request is written over
    return dropped;
  }

  @Override
  public synchronized boolean remove(KeptProposal kept) throws RequestRejectedException {
    LedgerId ledger = kept.ledger();
    Digest hash = kept.requestHash();
    if (!kept.takesSignatures() || !find(ledger, hash).equals(Optional.of(kept))) {
      return false;
    }
    drop(ledger, List.of(hash));
    return true;
  }

  @Override
  public synchronized List<KeptProposal> submitting() throws RequestRejectedException {
    List<KeptProposal> found = new ArrayList<>();
    for (var ledger : ledgers.entrySet()) {
      for (var each : ledger.getValue().entrySet()) {
        if (each.getValue().state == State.SUBMITTING) {
          found.add(read(ledger.getKey(), each.getKey()));
        }
      }
    }
    return List.copyOf(found);
  }

  @Override
  public synchronized void dropExpired() throws RequestRejectedException {
    long now = clock.millis();
    for (LedgerId ledger : List.copyOf(ledgers.keySet())) {
      List<Digest> expired = new ArrayList<>();
      entries(ledger)
          .forEach((hash, entry) -> {
            if (entry.expiresMs < now) {
              expired.add(hash);
            }
          });
      if (!expired.isEmpty()) {
        drop(ledger, expired);
      }
    }
  }

  private void drop(LedgerId ledger, List<Digest> hashes) throws RequestRejectedException {
    MetaBatch batch = new MetaBatch();
    hashes.forEach(hash -> batch.delete(ProposalRow.key(ledger, hash)));
    write(batch);
    NavigableMap<Digest, Entry> entries = entries(ledger);
    hashes.forEach(entries::remove);
    if (entries.isEmpty()) {
      ledgers.remove(ledger);
    }
  }

  @Override
  public synchronized long openCount() {
    return ledgers.values().stream()
        .flatMap(entries -> entries.values().stream())
        .filter(entry -> entry.state == State.OPEN)
        .count();
  }

  private NavigableMap<Digest, Entry> entries(LedgerId ledger) {
    return ledgers.getOrDefault(ledger, new TreeMap<>());
  }

  private KeptProposal read(LedgerId ledger, Digest requestHash) throws RequestRejectedException {
    try {
      Bytes row = meta.get(ProposalRow.key(ledger, requestHash));
      if (row == null) {
        throw new RequestRejectedException(
            RejectionCode.DAMAGED, "the row of proposal " + requestHash + " is gone");
      }
      return ProposalRow.decode(row);
    } catch (IOException e) {
      throw failed(e);
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "proposal " + requestHash + ": " + e.getMessage(), e);
    }
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
        "the store of proposals failed: " + e.getMessage(),
        e);
  }
}
