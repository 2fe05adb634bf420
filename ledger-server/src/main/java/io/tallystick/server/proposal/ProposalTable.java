package io.tallystick.server.proposal;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.Member;
import io.tallystick.node.OpenProposals;
import io.tallystick.server.note.NoteDecision;
import io.tallystick.server.note.NoteDraft;
import io.tallystick.server.note.NoteIndex;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.note.NoteWriter;
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
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The proposals of a shard's ledgers as notes, and in memory what there is, until when, whether it
/// is open, and who has signed it. A log is complete without them. Part of one opening of a shard.
public final class ProposalTable implements OpenProposals {
  private final NoteRows rows;
  private final NoteWriter writer;
  private final Members members;
  private final InstantSource clock;
  private final Map<LedgerId, NavigableMap<Digest, ProposalEntry>> ledgers = new HashMap<>();

  /// The members of ledgers as of the newest committed journals. Thread-safe.
  @FunctionalInterface
  public interface Members {
    /// Empty if the key is none's.
    Optional<Member> member(LedgerId ledger, Digest kid);
  }

  private ProposalTable(NoteRows rows, NoteWriter writer, Members members, InstantSource clock) {
    this.rows = rows;
    this.writer = writer;
    this.members = members;
    this.clock = clock;
  }

  /// Reads what is kept, and hears of each change from now on.
  ///
  /// @param clock by which proposals expire for readers
  /// @throws CorruptStreamException if a row does not decode, or is not the one its key names
  public static ProposalTable open(
      NoteRows rows, NoteWriter writer, Members members, InstantSource clock)
      throws IOException, CorruptStreamException {
    ProposalTable table = new ProposalTable(rows, writer, members, clock);
    rows.keep(ProposalRow.PREFIX, table.new Index());
    return table;
  }

  private final class Index implements NoteIndex {
    @Override
    public void check(Bytes key, Bytes value) throws MalformedException {
      ProposalEntry _ = entry(key, value);
    }

    @Override
    public void changed(Bytes key, @Nullable Bytes value) throws MalformedException {
      ProposalTable.this.changed(key, value);
    }
  }

  private synchronized void changed(Bytes key, @Nullable Bytes value) throws MalformedException {
    Digest hash = ProposalRow.hashOf(key);
    LedgerId ledger = ProposalRow.ledgerOf(key);
    if (value != null) {
      ledgers.computeIfAbsent(ledger, _ -> new TreeMap<>()).put(hash, entry(key, value));
      return;
    }
    NavigableMap<Digest, ProposalEntry> entries = entries(ledger);
    entries.remove(hash);
    if (entries.isEmpty()) {
      ledgers.remove(ledger);
    }
  }

  private static ProposalEntry entry(Bytes key, Bytes value) throws MalformedException {
    KeptProposal kept = ProposalRow.decode(value);
    if (!key.equals(ProposalRow.key(kept.ledger(), kept.requestHash()))) {
      throw new MalformedException("row " + key + " holds another proposal");
    }
    return ProposalEntry.of(kept);
  }

  @Override
  public Optional<KeptProposal> find(LedgerId ledger, Digest requestHash)
      throws RequestRejectedException {
    try {
      return current(rows.get(ProposalRow.key(ledger, requestHash)), clock.millis());
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /// Empty also for one that has expired.
  private static Optional<KeptProposal> current(@Nullable Bytes row, long nowMs)
      throws RequestRejectedException {
    return row == null
        ? Optional.empty()
        : Optional.of(decode(row)).filter(kept -> kept.expiresMs() >= nowMs);
  }

  @Override
  public List<KeptProposal> list(LedgerId ledger, @Nullable Digest after, int limit)
      throws RequestRejectedException {
    long now = clock.millis();
    List<Digest> hashes = new ArrayList<>();
    synchronized (this) {
      NavigableMap<Digest, ProposalEntry> entries = entries(ledger);
      for (var each : (after == null ? entries : entries.tailMap(after, false)).entrySet()) {
        if (hashes.size() == limit) {
          break;
        }
        if (each.getValue().expiresMs() >= now) {
          hashes.add(each.getKey());
        }
      }
    }
    return read(ledger, hashes);
  }

  private List<KeptProposal> read(LedgerId ledger, List<Digest> hashes)
      throws RequestRejectedException {
    List<KeptProposal> found = new ArrayList<>(hashes.size());
    try {
      for (Digest hash : hashes) {
        Bytes row = rows.get(ProposalRow.key(ledger, hash));
        if (row != null) { // else it went meanwhile
          found.add(decode(row));
        }
      }
    } catch (IOException e) {
      throw failed(e);
    }
    return List.copyOf(found);
  }

  @Override
  public boolean replace(@Nullable KeptProposal before, KeptProposal after)
      throws RequestRejectedException {
    return NoteWriter.await(replaceLater(before, after));
  }

  /// {@link #replace} without waiting.
  public CompletableFuture<Boolean> replaceLater(
      @Nullable KeptProposal before, KeptProposal after) {
    Bytes row = ProposalRow.encode(after);
    return writeLater(row.size(), (draft, moment) -> replace(draft, moment, before, after, row));
  }

  private boolean replace(
      NoteDraft draft,
      NoteDecision.Moment moment,
      @Nullable KeptProposal before,
      KeptProposal after,
      Bytes row)
      throws IOException, RequestRejectedException {
    LedgerId ledger = after.ledger();
    Bytes key = ProposalRow.key(ledger, after.requestHash());
    Optional<KeptProposal> kept = current(draft.get(key), moment.timeMs());
    if (!kept.equals(Optional.ofNullable(before))) {
      return false;
    }
    for (Digest dropped : places(draft, moment, ledger).take(before, after)) {
      draft.delete(ProposalRow.key(ledger, dropped));
    }
    draft.put(key, row);
    return true;
  }

  @Override
  public boolean remove(KeptProposal kept) throws RequestRejectedException {
    return NoteWriter.await(removeLater(kept));
  }

  /// {@link #remove} without waiting.
  public CompletableFuture<Boolean> removeLater(KeptProposal kept) {
    if (!kept.takesSignatures()) {
      return CompletableFuture.completedFuture(false);
    }
    Bytes key = ProposalRow.key(kept.ledger(), kept.requestHash());
    return writeLater(
        0,
        (draft, moment) -> {
          boolean same = current(draft.get(key), moment.timeMs()).equals(Optional.of(kept));
          if (same) {
            draft.delete(key);
          }
          return same;
        });
  }

  @Override
  public List<KeptProposal> submitting() throws RequestRejectedException {
    Map<LedgerId, List<Digest>> hashes = new HashMap<>();
    synchronized (this) {
      ledgers.forEach((ledger, entries) ->
          entries.forEach((hash, entry) -> {
            if (entry.state() == ProposalEntry.State.SUBMITTING) {
              hashes.computeIfAbsent(ledger, _ -> new ArrayList<>()).add(hash);
            }
          }));
    }
    List<KeptProposal> found = new ArrayList<>();
    for (var ledger : hashes.entrySet()) {
      found.addAll(read(ledger.getKey(), ledger.getValue()));
    }
    return List.copyOf(found);
  }

  /// Looks for them here, so that the commit thread decides only where there are some.
  @Override
  public void dropGone() throws RequestRejectedException {
    long now = clock.millis();
    List<LedgerId> all;
    synchronized (this) {
      all = List.copyOf(ledgers.keySet());
    }
    for (LedgerId ledger : all) {
      Map<Digest, ProposalEntry> entries;
      synchronized (this) {
        entries = new TreeMap<>(entries(ledger));
      }
      boolean some =
          !new ProposalPlaces(ledger, entries, signing(now, members), now).gone().isEmpty();
      while (some) {
        some = NoteWriter.await(dropGoneLater(ledger)) == ProposalPlaces.DROPPED_MAX;
      }
    }
  }

  /// Forgets those of one ledger, without waiting.
  ///
  /// @return how many: the most if there may be more
  public CompletableFuture<Integer> dropGoneLater(LedgerId ledger) {
    return writeLater(
        0,
        (draft, moment) -> {
          List<Digest> gone =
              places(draft, moment, ledger).gone().stream()
                  .limit(ProposalPlaces.DROPPED_MAX)
                  .toList();
          for (Digest each : gone) {
            draft.delete(ProposalRow.key(ledger, each));
          }
          return gone.size();
        });
  }

  private <R> CompletableFuture<R> writeLater(long valueBytes, NoteDecision<R> decision) {
    return writer.writeLater(
        valueBytes,
        (draft, moment) -> {
          draft.checkRows(rows);
          return decision.decide(draft, moment);
        });
  }

  /// As the draft leaves them.
  private ProposalPlaces places(NoteDraft draft, NoteDecision.Moment moment, LedgerId ledger)
      throws RequestRejectedException {
    NavigableMap<Digest, ProposalEntry> entries;
    synchronized (this) {
      entries = new TreeMap<>(entries(ledger));
    }
    for (var each : draft.changedWithPrefix(ProposalRow.prefix(ledger)).entrySet()) {
      try {
        Digest hash = ProposalRow.hashOf(each.getKey());
        if (each.getValue().isEmpty()) {
          entries.remove(hash);
        } else {
          entries.put(hash, entry(each.getKey(), each.getValue().get()));
        }
      } catch (MalformedException e) {
        throw damaged(e);
      }
    }
    return new ProposalPlaces(
        ledger, entries, signing(moment.timeMs(), moment::member), moment.timeMs());
  }

  private static ProposalPlaces.Signing signing(long nowMs, Members members) {
    return (ledger, kid) ->
        members
            .member(ledger, kid)
            .filter(member -> member.currentAt(nowMs) && member.role().mayAppend())
            .map(Member::role);
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

  private static KeptProposal decode(Bytes row) throws RequestRejectedException {
    try {
      return ProposalRow.decode(row);
    } catch (MalformedException e) {
      throw damaged(e);
    }
  }

  private static RequestRejectedException damaged(MalformedException e) {
    return new RequestRejectedException(
        RejectionCode.DAMAGED, "a row of a proposal: " + e.getMessage(), e);
  }

  private static RequestRejectedException failed(IOException e) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "the store of proposals failed: " + e.getMessage(), e);
  }
}
