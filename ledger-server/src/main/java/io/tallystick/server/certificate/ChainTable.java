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
import io.tallystick.server.certificate.KeptChains.Name;
import io.tallystick.server.note.NoteDraft;
import io.tallystick.server.note.NoteIndex;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.removal.NotedObjects;
import io.tallystick.server.removal.Stillness;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectMove;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The chains of a shard's ledgers: an object each, which a note names, and in memory which there
/// are and until when they wait. The object is durable before the note, and is deleted before the
/// note of its erasing. A chain is kept before the grant that names it is submitted, and for good
/// once the grant is sealed or replayed: {@link NamedChains}. One that no grant names is dropped a
/// day after it has waited. Part of one opening of a shard.
///
/// The log is complete without them.
public final class ChainTable implements MemberCertificates {
  /// A grant may be judged by a chain that waits no longer than this beyond its time, and is sealed
  /// within it.
  private static final long DROPPED_AFTER_MS = 24L * 60 * 60 * 1000;

  /// Rows of one frame.
  private static final int DROPPED_AT_ONCE = 1_000;

  /// Of a chain that counts as erased.
  private static final long GONE = 0;

  private final NoteRows rows;
  private final NoteWriter writer;
  private final NotedObjects objects;
  private final KeptChains chains;
  private final NamedChains named;
  private final Stillness still;
  private final InstantSource clock;
  private final ChainTrust trust;
  private final Map<LedgerId, Map<Digest, Long>> untilMs = new ConcurrentHashMap<>();

  /// Held by one change after the other, also while its note is under way: so the thread that seals
  /// never takes it.
  private final ReentrantLock changes = new ReentrantLock();

  /// Copies the objects of all chains elsewhere. A row whose object is gone goes, too.
  ///
  /// @param batch gets the rows that name them there
  /// @throws CorruptStreamException if one is damaged
  public static void place(MetaStore meta, ObjectMove move, MetaBatch batch)
      throws IOException, CorruptStreamException {
    try {
      for (Map.Entry<Bytes, Bytes> each : meta.rows(ChainRow.PREFIX).entrySet()) {
        ChainRow row = ChainRow.decode(each.getValue());
        Optional<KeptObject> object = row.object();
        if (object.isPresent()) {
          move.move(object.get())
              .ifPresentOrElse(
                  there -> batch.put(each.getKey(), ChainRow.encode(row.untilMs(), there)),
                  () -> batch.delete(each.getKey()));
        }
      }
    } catch (MalformedException e) {
      throw new CorruptStreamException("rows of chains", 0, String.valueOf(e.getMessage()), e);
    }
  }

  private ChainTable(
      NoteRows rows,
      NoteWriter writer,
      NotedObjects objects,
      NamedChains named,
      Stillness still,
      InstantSource clock,
      ChainTrust trust) {
    this.rows = rows;
    this.writer = writer;
    this.objects = objects;
    this.chains = new KeptChains(objects.store());
    this.named = named;
    this.still = still;
    this.clock = clock;
    this.trust = trust;
  }

  /// Reads what is kept, and hears of each change from now on.
  ///
  /// @param still while it is held nothing is erased or dropped
  /// @param trust of this process
  /// @throws CorruptStreamException if a row does not decode, or is not the one its key names
  public static ChainTable open(
      NoteRows rows,
      NoteWriter writer,
      MetaStore meta,
      NotedObjects objects,
      Stillness still,
      InstantSource clock,
      ChainTrust trust)
      throws IOException, CorruptStreamException {
    ChainTable table =
        new ChainTable(rows, writer, objects, NamedChains.open(meta), still, clock, trust);
    rows.keep(ChainRow.PREFIX, table.new Index());
    return table;
  }

  private final class Index implements NoteIndex {
    @Override
    public void check(Bytes key, Bytes value) throws MalformedException {
      ChainRow _ = decoded(Name.of(key), value);
    }

    @Override
    public void changed(Bytes key, @Nullable Bytes value) throws MalformedException {
      Name name = Name.of(key);
      if (value == null) {
        untilMs.getOrDefault(name.ledger(), Map.of()).remove(name.certDigest());
      } else {
        keptUntil(name, decoded(name, value).untilMs());
      }
    }
  }

  private static ChainRow decoded(Name name, Bytes value) throws MalformedException {
    ChainRow row = ChainRow.decode(value);
    if (row.content() instanceof ChainRow.InRow(CertificateChain chain)
        && !chain.digest().equals(name.certDigest())) {
      throw new MalformedException("row " + name.key() + " holds another chain");
    }
    return row;
  }

  private void keptUntil(Name name, long until) {
    untilMs
        .computeIfAbsent(name.ledger(), _ -> new ConcurrentHashMap<>())
        .put(name.certDigest(), until);
  }

  private List<Name> names(LedgerId ledger) {
    return untilMs.getOrDefault(ledger, Map.of()).keySet().stream()
        .map(each -> new Name(ledger, each))
        .toList();
  }

  private List<Name> names() {
    return untilMs.keySet().stream().flatMap(ledger -> names(ledger).stream()).toList();
  }

  /// Empty if it is not kept.
  private Optional<Long> untilMs(Name name) {
    Long until = untilMs.getOrDefault(name.ledger(), Map.of()).get(name.certDigest());
    return until != null && until != GONE && named.contains(name)
        ? Optional.of(Member.NEVER)
        : Optional.ofNullable(until);
  }

  /// From now on chains lead to one of these, in later openings too.
  public void trust(CertificateAuthorities trusted) {
    trust.trust(trusted);
  }

  @Override
  public long show(LedgerId ledger, CertificateChain chain) throws RequestRejectedException {
    long now = clock.millis();
    trust.verify(chain, now);
    changes.lock();
    try {
      return keep(new Name(ledger, chain.digest()), chain, now);
    } catch (IOException e) {
      throw failed(e);
    } finally {
      changes.unlock();
    }
  }

  private long keep(Name name, CertificateChain chain, long now)
      throws IOException, RequestRejectedException {
    if (untilMs(name).equals(Optional.of(Member.NEVER))) {
      return Member.NEVER;
    }
    List<Name> waited = roomIn(name, now);
    boolean mayDrop = !waited.isEmpty() && still.beginChange();
    try (NotedObjects.Making making = objects.begin(name, object -> names(name, object))) {
      KeptObject object = objectOf(name);
      if (object == null) {
        object = chains.put(making, name.ledger(), chain);
      }
      long until = now + WAITING_MS;
      Bytes row = ChainRow.encode(until, object);
      note(
          making,
          row.size(),
          draft -> {
            List<NotedObjects.Unnamed> unnamed = forget(draft, mayDrop ? waited : List.of());
            draft.put(name.key(), row);
            return unnamed;
          });
      return named.contains(name) ? Member.NEVER : until;
    } finally {
      if (mayDrop) {
        still.endChange();
      }
      objects.deleteUnnamed();
    }
  }

  /// Puts notes into a draft.
  private interface Drafting {
    /// @return the objects that it takes out of rows
    List<NotedObjects.Unnamed> draft(NoteDraft draft) throws IOException, RequestRejectedException;
  }

  private void note(NotedObjects.Making making, long valueBytes, Drafting drafting)
      throws RequestRejectedException {
    CompletableFuture<List<NotedObjects.Unnamed>> written =
        writer.writeLater(
            valueBytes,
            (draft, _) -> {
              draft.checkRows(rows);
              return drafting.draft(draft);
            });
    var _ = NoteWriter.await(making.noted(written, unnamed -> unnamed));
  }

  /// Whether the row of a chain names an object.
  private boolean names(Name name, KeptObject object) throws IOException, CorruptStreamException {
    return named(name).equals(Optional.of(object));
  }

  /// The object of a chain that is kept; null if there is none.
  private @Nullable KeptObject objectOf(Name name) throws IOException, RequestRejectedException {
    Bytes row = rows.get(name.key());
    long until = untilMs(name).orElse(GONE);
    return row == null || until == GONE ? null : decodedOwn(name, row).object().orElse(null);
  }

  /// Those that have waited long enough give way.
  private List<Name> roomIn(Name further, long now) throws RequestRejectedException {
    List<Name> waited = new ArrayList<>();
    int waiting = 0;
    for (Name each : names(further.ledger())) {
      long until = untilMs(each).orElse(Member.NEVER);
      if (until != Member.NEVER && !each.equals(further)) {
        if (hasWaited(until, now)) {
          waited.add(each);
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
    return waited;
  }

  private static boolean hasWaited(long untilMs, long now) {
    return untilMs < now - DROPPED_AFTER_MS;
  }

  /// Deletes rows.
  ///
  /// @return the objects that no row names once the notes are durable
  private List<NotedObjects.Unnamed> forget(NoteDraft draft, List<Name> names)
      throws IOException, RequestRejectedException {
    List<NotedObjects.Unnamed> unnamed = new ArrayList<>();
    for (Name each : names) {
      Bytes row = draft.get(each.key());
      if (row != null) {
        decodedOwn(each, row)
            .object()
            .ifPresent(
                object -> unnamed.add(new NotedObjects.Unnamed(object, its -> names(each, its))));
        draft.delete(each.key());
      }
    }
    return unnamed;
  }

  @Override
  public void dropExpired() throws RequestRejectedException {
    changes.lock();
    try {
      if (still.beginChange()) {
        try {
          dropExpired(clock.millis());
        } finally {
          still.endChange();
        }
      }
    } finally {
      changes.unlock();
    }
  }

  private void dropExpired(long now) throws RequestRejectedException {
    List<Name> waited = new ArrayList<>();
    for (Name each : names()) {
      if (hasWaited(untilMs(each).orElse(Member.NEVER), now)) {
        waited.add(each);
      }
    }
    for (int from = 0; from < waited.size(); from += DROPPED_AT_ONCE) {
      List<Name> some = waited.subList(from, Math.min(from + DROPPED_AT_ONCE, waited.size()));
      try (NotedObjects.Making making = objects.begin(some, _ -> false)) {
        note(making, 0, draft -> forget(draft, some));
      } finally {
        objects.deleteUnnamed();
      }
    }
  }

  @Override
  public Optional<CertificateChain> find(LedgerId ledger, Digest certDigest)
      throws RequestRejectedException {
    return kept(new Name(ledger, certDigest), Member.NEVER);
  }

  /// @param leastMs until when it is kept at least
  private Optional<CertificateChain> kept(Name name, long leastMs) throws RequestRejectedException {
    if (untilMs(name).orElse(GONE) < leastMs) {
      return Optional.empty();
    }
    try {
      Bytes row = rows.get(name.key());
      return row == null ? Optional.empty() : chains.find(name, decoded(name, row));
    } catch (IOException e) {
      throw failed(e);
    } catch (MalformedException | CorruptStreamException e) {
      throw damaged(e, name);
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
    return kept(new Name(header.strand().ledger(), digest.get()), clock.millis());
  }

  /// A journal of this ledger is sealed, or replayed: the chain that it names is kept for good. An
  /// erased one stays so.
  public void sealed(RequestHeader header) {
    digest(header.extension())
        .ifPresent(digest -> named.add(new Name(header.strand().ledger(), digest)));
  }

  private static Optional<Digest> digest(@Nullable Extension extension) {
    return extension instanceof Extension.Grant grant ? grant.certDigest() : Optional.empty();
  }

  @Override
  public boolean erase(LedgerId ledger, Digest certDigest) throws RequestRejectedException {
    Name name = new Name(ledger, certDigest);
    changes.lock();
    try {
      if (untilMs(name).isEmpty()) {
        return false;
      }
      if (!still.beginChange()) {
        throw new RequestRejectedException(
            RejectionCode.UNAVAILABLE, "a backup is being made, and nothing is erased meanwhile");
      }
      try {
        erase(name);
        return true;
      } finally {
        still.endChange();
      }
    } catch (IOException e) {
      throw failed(e);
    } finally {
      changes.unlock();
    }
  }

  /// Goes on where an earlier try failed.
  private void erase(Name name) throws IOException, RequestRejectedException {
    Bytes row = rows.get(name.key());
    keptUntil(name, GONE); // if this fails, what is left of it waits for nothing
    if (row != null) {
      Optional<KeptObject> object = decodedOwn(name, row).object();
      if (object.isPresent()) {
        chains.objects().delete(object.get());
      }
    }
    boolean _ =
        writer.write(
            0,
            (draft, _) -> {
              draft.checkRows(rows);
              draft.delete(name.key());
              return true;
            });
  }

  /// The ids of the objects that rows name.
  public Set<Bytes> objects() throws IOException, CorruptStreamException {
    Set<Bytes> ids = new HashSet<>();
    for (Name name : names()) {
      Optional<KeptObject> object = named(name);
      if (object.isPresent()) {
        ids.add(chains.objects().idOf(object.get()));
      }
    }
    return ids;
  }

  private Optional<KeptObject> named(Name name) throws IOException, CorruptStreamException {
    Bytes row = rows.get(name.key());
    try {
      return row == null ? Optional.empty() : decoded(name, row).object();
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "certificate row " + name.key(), 0, String.valueOf(e.getMessage()), e);
    }
  }

  /// Finds the chains whose objects are gone, which were erased when a crash came: they count as
  /// erased from now on, and {@link #dropExpired} drops their rows.
  ///
  /// @param there ids of the objects that there are
  public void countErased(Set<Bytes> there) throws IOException, CorruptStreamException {
    for (Name name : names()) {
      Optional<KeptObject> object = named(name);
      if (object.isPresent()
          && !there.contains(chains.objects().idOf(object.get()))
          && chains.isGone(object.get())) {
        keptUntil(name, GONE);
      }
    }
  }

  /// Adds to a savepoint what follows from the journals that were sealed.
  public void savepoint(MetaBatch batch) {
    named.savepoint(batch);
  }

  /// The savepoint is written.
  public void saved() {
    named.saved();
  }

  private static ChainRow decodedOwn(Name name, Bytes row) throws RequestRejectedException {
    try {
      return decoded(name, row);
    } catch (MalformedException e) {
      throw damaged(e, name);
    }
  }

  private static RequestRejectedException damaged(Exception e, Name name) {
    return new RequestRejectedException(
        RejectionCode.DAMAGED, "certificate chain " + name.certDigest() + ": " + e.getMessage(), e);
  }

  private static RequestRejectedException failed(IOException e) {
    return new RequestRejectedException(
        e instanceof DiskFullException ? RejectionCode.STORAGE_FULL : RejectionCode.UNAVAILABLE,
        "the store of certificates failed: " + e.getMessage(),
        e);
  }
}
