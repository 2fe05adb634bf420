package io.tallystick.server.proposal;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptProposal;
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
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The proposals of a shard's ledgers: rows of the meta store, each written by itself, and in
/// memory what there is, until when, whether it is open, and who has signed it. They are no part of
/// a savepoint, and a log is complete without them.
public final class ProposalTable implements OpenProposals {
  private final MetaStore meta;
  private final InstantSource clock;
  private final Map<LedgerId, NavigableMap<Digest, ProposalEntry>> ledgers = new HashMap<>();

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
        .put(kept.requestHash(), ProposalEntry.of(kept));
  }

  @Override
  public synchronized Optional<KeptProposal> find(LedgerId ledger, Digest requestHash)
      throws RequestRejectedException {
    ProposalEntry entry = entries(ledger).get(requestHash);
    return entry == null || entry.expiresMs() < clock.millis()
        ? Optional.empty()
        : Optional.of(read(ledger, requestHash));
  }

  @Override
  public synchronized List<KeptProposal> list(LedgerId ledger, @Nullable Digest after, int limit)
      throws RequestRejectedException {
    long now = clock.millis();
    NavigableMap<Digest, ProposalEntry> entries = entries(ledger);
    List<KeptProposal> found = new ArrayList<>();
    for (var each : (after == null ? entries : entries.tailMap(after, false)).entrySet()) {
      if (found.size() == limit) {
        break;
      }
      if (each.getValue().expiresMs() >= now) {
        found.add(read(ledger, each.getKey()));
      }
    }
    return List.copyOf(found);
  }

  @Override
  public synchronized boolean replace(
      @Nullable KeptProposal before, KeptProposal after, Signing signing)
      throws RequestRejectedException {
    LedgerId ledger = after.ledger();
    Optional<KeptProposal> kept = find(ledger, after.requestHash());
    if (!kept.equals(Optional.ofNullable(before))) {
      return false;
    }
    MetaBatch batch = new MetaBatch();
    List<Digest> dropped =
        new ProposalPlaces(ledger, entries(ledger), signing, clock.millis()).take(before, after);
    dropped.forEach(hash -> batch.delete(ProposalRow.key(ledger, hash)));
    batch.put(ProposalRow.key(ledger, after.requestHash()), ProposalRow.encode(after));
    write(batch);
    dropped.forEach(entries(ledger)::remove);
    note(after);
    return true;
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
        if (each.getValue().state() == ProposalEntry.State.SUBMITTING) {
          found.add(read(ledger.getKey(), each.getKey()));
        }
      }
    }
    return List.copyOf(found);
  }

  @Override
  public synchronized void dropGone(Signing signing) throws RequestRejectedException {
    RequestRejectedException failure = null;
    for (LedgerId ledger : List.copyOf(ledgers.keySet())) {
      try {
        List<Digest> gone =
            new ProposalPlaces(ledger, entries(ledger), signing, clock.millis()).gone();
        if (!gone.isEmpty()) {
          drop(ledger, gone);
        }
      } catch (RequestRejectedException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void drop(LedgerId ledger, List<Digest> hashes) throws RequestRejectedException {
    MetaBatch batch = new MetaBatch();
    hashes.forEach(hash -> batch.delete(ProposalRow.key(ledger, hash)));
    write(batch);
    NavigableMap<Digest, ProposalEntry> entries = entries(ledger);
    hashes.forEach(entries::remove);
    if (entries.isEmpty()) {
      ledgers.remove(ledger);
    }
  }

  @Override
  public synchronized long openCount() {
    return ledgers.values().stream()
        .flatMap(entries -> entries.values().stream())
        .filter(entry -> entry.state() == ProposalEntry.State.OPEN)
        .count();
  }

  private NavigableMap<Digest, ProposalEntry> entries(LedgerId ledger) {
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
