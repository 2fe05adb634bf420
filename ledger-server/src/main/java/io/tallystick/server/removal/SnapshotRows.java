package io.tallystick.server.removal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.note.NoteDraft;
import io.tallystick.server.note.NoteIndex;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectMove;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.storage.object.StoredObject;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/// The snapshots that this shard has made: those that purges name, and of each ledger the newest
/// few that none names yet. `"n" ‖ ledgerId ‖ height u64 ‖ digest → [2, objectBytes, object bstr,
/// place bstr]`, a note; the object, durable before it, is `[1, Snapshot bstr, window bstr, from]`,
/// the window's entries side by side. Version 1 is the object itself, and only read. Part of one
/// opening of a shard. Thread-safe. Source: `docs/formats/savepoint.md`.
public final class SnapshotRows {
  private static final Bytes PREFIX = Bytes.utf8("n");
  private static final int OBJECT_VERSION = 1;
  private static final int OBJECT_FIELDS = 4;
  private static final int VERSION = 2;
  private static final int WINDOW_BYTES_MAX = 1 << 30;
  private static final int HEIGHT_AT = 1 + Digest.BYTES;
  private static final int DIGEST_AT = HEIGHT_AT + Long.BYTES;
  private static final int KEY_BYTES = DIGEST_AT + Digest.BYTES;

  /// Snapshots of one ledger that no purge names.
  private static final int OFFERED_MAX = 4;

  private final NoteRows rows;
  private final NoteWriter writer;
  private final NotedObjects noted;
  private final ObjectStore objects;
  private final ImageRows images;

  /// Keys of those that a purge may come to name.
  private final Set<Bytes> pinned;

  /// By ledger, by key of the row: the object; none for a row of version 1.
  private final Map<LedgerId, NavigableMap<Bytes, Optional<KeptObject>>> kept =
      new ConcurrentHashMap<>();

  /// @param window its entries, ascending
  /// @param from where the purge before ended: whom a purge affects is told from there on
  public record Held(Snapshot snapshot, List<Bytes> window, long from) {
    public Held {
      window = List.copyOf(window);
    }
  }

  /// What follows once a snapshot is kept.
  ///
  /// @param heights of all that are kept
  /// @param unnamed objects that no row names any more
  record Outcome(Set<Long> heights, List<KeptObject> unnamed) {}

  private SnapshotRows(
      NoteRows rows, NoteWriter writer, NotedObjects noted, ImageRows images, Set<Bytes> pinned) {
    this.rows = rows;
    this.writer = writer;
    this.noted = noted;
    this.objects = noted.store();
    this.images = images;
    this.pinned = pinned;
  }

  /// Reads what is kept, and hears of each change from now on.
  ///
  /// @param images that go with the snapshots
  /// @param pinned keys of those that a purge may come to name: they stay so when the shard opens
  ///   itself again and other rows take the place of these. Guarded by its own lock
  /// @throws CorruptStreamException if a row is none of a snapshot
  public static SnapshotRows open(
      NoteRows rows, NoteWriter writer, NotedObjects noted, ImageRows images, Set<Bytes> pinned)
      throws IOException, CorruptStreamException {
    SnapshotRows table = new SnapshotRows(rows, writer, noted, images, pinned);
    rows.keep(PREFIX, table.new Index());
    return table;
  }

  private final class Index implements NoteIndex {
    @Override
    public void check(Bytes key, Bytes value) throws MalformedException {
      LedgerId _ = ledgerOf(key);
      Optional<KeptObject> _ = objectOf(value);
    }

    @Override
    public void changed(Bytes key, @Nullable Bytes value) throws MalformedException {
      NavigableMap<Bytes, Optional<KeptObject>> its =
          kept.computeIfAbsent(ledgerOf(key), _ -> new ConcurrentSkipListMap<>());
      if (value == null) {
        its.remove(key);
      } else {
        its.put(key, objectOf(value));
      }
    }
  }

  /// Copies the objects of all snapshots elsewhere.
  ///
  /// @param batch gets the rows that name them there
  /// @throws CorruptStreamException if one is damaged or missing
  public static void place(MetaStore meta, ObjectMove move, MetaBatch batch)
      throws IOException, CorruptStreamException {
    try {
      for (Map.Entry<Bytes, Bytes> each : meta.rows(PREFIX).entrySet()) {
        Optional<KeptObject> object = objectOf(each.getValue());
        if (object.isPresent()) {
          batch.put(each.getKey(), row(moved(object.get(), move)));
        }
      }
    } catch (MalformedException e) {
      throw new CorruptStreamException("rows of snapshots", 0, String.valueOf(e.getMessage()), e);
    }
  }

  private static KeptObject moved(KeptObject object, ObjectMove move)
      throws IOException, CorruptStreamException {
    return move.move(object)
        .orElseThrow(
            () -> new CorruptStreamException("object " + object.name(), 0, "it is missing"));
  }

  private static Bytes row(KeptObject object) {
    CborWriter row = new CborWriter().array(1 + KeptObject.FIELDS).uint(VERSION);
    object.write(row);
    return row.toBytes();
  }

  private static LedgerId ledgerOf(Bytes key) throws MalformedException {
    if (key.size() != KEY_BYTES) {
      throw new MalformedException("snapshot row with a key of " + key.size() + " bytes");
    }
    return new LedgerId(Digest.of(key.slice(1, Digest.BYTES)));
  }

  /// None for a row of version 1.
  private static Optional<KeptObject> objectOf(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("snapshot row", 1 + KeptObject.FIELDS);
    long version = in.uint();
    if (version == OBJECT_VERSION) {
      return Optional.empty();
    }
    if (version != VERSION) {
      throw new MalformedException("snapshot row version " + version + ", want " + VERSION);
    }
    KeptObject object = KeptObject.read(in);
    in.end();
    return Optional.of(object);
  }

  private static Bytes prefix(LedgerId ledger) {
    byte[] key = new byte[1 + Digest.BYTES];
    PREFIX.copyInto(key, 0);
    ledger.digest().copyInto(key, 1);
    return Bytes.wrap(key);
  }

  private static Bytes key(LedgerId ledger, long height, Digest digest) {
    ByteBuffer key = ByteBuffer.allocate(DIGEST_AT + Digest.BYTES);
    key.put(prefix(ledger).toArray()).putLong(height).put(digest.toArray());
    return Bytes.wrap(key.array());
  }

  private static long heightOf(Bytes key) {
    return ByteBuffer.wrap(key.toArray()).getLong(HEIGHT_AT);
  }

  private static Digest digestOf(Bytes key) {
    return Digest.of(key.toArray(), DIGEST_AT);
  }

  /// Keeps a snapshot: its objects are durable on return, and it counts once the notes are. Of
  /// those that no purge names, or may come to name, only a few stay, the highest.
  ///
  /// @param named digests that purges name
  /// @param isWhole whether the images are still those that were made, else it is refused; asked on
  ///   the commit thread
  CompletableFuture<Outcome> keepLater(
      StrandId strand, Held held, Set<Digest> named, IsWhole isWhole) throws IOException {
    LedgerId ledger = strand.ledger();
    long height = held.snapshot().height();
    Bytes key = key(ledger, height, held.snapshot().digest());
    NotedObjects.Naming naming = object -> names(ledger, object) || images.names(strand, object);
    try (NotedObjects.Making making = noted.begin(strand, naming)) {
      List<ImageRows.Image> files = images.put(making, strand, height);
      Bytes value = row(put(making, held));
      return making.noted(
          writer.writeLater(
              value.size(),
              (draft, _) -> {
                draft.checkRows(rows);
                isWhole.check();
                List<KeptObject> unnamed = new ArrayList<>();
                Set<Long> heights = keep(draft, ledger, key, named, unnamed);
                draft.put(key, value);
                unnamed.addAll(images.keep(draft, strand, height, files, heights));
                return new Outcome(heights, unnamed);
              }),
          outcome ->
              outcome.unnamed().stream()
                  .map(object -> new NotedObjects.Unnamed(object, naming))
                  .toList());
    }
  }

  private boolean names(LedgerId ledger, KeptObject object) {
    return kept.getOrDefault(ledger, Collections.emptyNavigableMap())
        .containsValue(Optional.of(object));
  }

  /// Whether what was made may be kept.
  @FunctionalInterface
  interface IsWhole {
    /// @throws RequestRejectedException `UNAVAILABLE` if not
    void check() throws RequestRejectedException;
  }

  private KeptObject put(NotedObjects.Making making, Held held) throws IOException {
    CborWriter window = new CborWriter();
    held.window().forEach(window::raw);
    Bytes content =
        new CborWriter()
            .array(OBJECT_FIELDS)
            .uint(OBJECT_VERSION)
            .bytes(held.snapshot().encode())
            .bytes(window.toBytes())
            .uint(held.from())
            .toBytes();
    try (ObjectWriter object = objects.create()) {
      object.write(ByteBuffer.wrap(content.unsafeArray()));
      return making.finish(object);
    }
  }

  /// Drops those that give way to one more.
  ///
  /// @param unnamed gets the objects of these
  /// @return the heights of all that are kept
  private Set<Long> keep(
      NoteDraft draft, LedgerId ledger, Bytes further, Set<Digest> named, List<KeptObject> unnamed)
      throws IOException {
    NavigableMap<Bytes, Optional<KeptObject>> there =
        new TreeMap<>(kept.getOrDefault(ledger, Collections.emptyNavigableMap()));
    draft
        .changedWithPrefix(prefix(ledger))
        .forEach((key, row) -> {
          if (row.isEmpty()) {
            there.remove(key);
          } else {
            there.putIfAbsent(key, Optional.empty());
          }
        });
    Optional<KeptObject> before = there.remove(further);
    if (before != null) {
      before.ifPresent(unnamed::add);
    }
    List<Bytes> free = new ArrayList<>();
    Set<Long> heights = new HashSet<>();
    heights.add(heightOf(further));
    synchronized (pinned) {
      for (Bytes each : there.keySet()) {
        if (pinned.contains(each) || named.contains(digestOf(each))) {
          heights.add(heightOf(each));
        } else {
          free.add(each);
        }
      }
    }
    int dropped = Math.max(0, free.size() + 1 - OFFERED_MAX);
    for (Bytes each : free.subList(0, dropped)) {
      there.getOrDefault(each, Optional.empty()).ifPresent(unnamed::add);
      draft.delete(each);
    }
    free.subList(dropped, free.size()).forEach(each -> heights.add(heightOf(each)));
    return heights;
  }

  /// Deletes objects that no row names any more, unless a backup is being made.
  void deleteUnnamed() {
    noted.deleteUnnamed();
  }

  /// @param heights of snapshots whose images are read or made
  /// @throws RequestRejectedException `UNAVAILABLE` while some are being fetched
  void checkFetched(StrandId strand, Set<Long> heights) throws RequestRejectedException {
    if (!images.fetching().isWhole(strand, heights)) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "images of the ledger are being fetched; ask again");
    }
  }

  /// The ids of the objects that rows name.
  public Set<Bytes> objects() throws IOException {
    Set<Bytes> ids = new HashSet<>();
    for (NavigableMap<Bytes, Optional<KeptObject>> its : kept.values()) {
      for (Optional<KeptObject> each : its.values()) {
        if (each.isPresent()) {
          ids.add(objects.idOf(each.get()));
        }
      }
    }
    return ids;
  }

  /// The snapshot that a purge is about to name: it is kept from now on, until the process ends.
  public Optional<Held> pin(LedgerId ledger, long height, Digest digest)
      throws IOException, CorruptStreamException {
    synchronized (pinned) {
      Optional<Held> held = find(ledger, height, digest);
      if (held.isPresent()) {
        pinned.add(key(ledger, height, digest));
      }
      return held;
    }
  }

  /// Whether a snapshot with that digest is held, of whatever height.
  public boolean holds(LedgerId ledger, Digest digest) {
    return kept.getOrDefault(ledger, Collections.emptyNavigableMap()).keySet().stream()
        .anyMatch(key -> digestOf(key).equals(digest));
  }

  /// @throws CorruptStreamException if the row or the object is damaged, or the object missing
  private Optional<Held> find(LedgerId ledger, long height, Digest digest)
      throws IOException, CorruptStreamException {
    Bytes row = rows.get(key(ledger, height, digest));
    if (row == null) {
      return Optional.empty();
    }
    try {
      Optional<KeptObject> object = objectOf(row);
      return Optional.of(held(object.isPresent() ? read(object.get()) : row));
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "snapshot " + digest + " of " + ledger, 0, String.valueOf(e.getMessage()));
    }
  }

  private Bytes read(KeptObject object)
      throws IOException, CorruptStreamException, MalformedException {
    try (StoredObject stored =
        objects
            .open(object)
            .orElseThrow(() -> new MalformedException("object " + object.name() + " is missing"))) {
      return stored.whole(Integer.MAX_VALUE - 64);
    }
  }

  private static Held held(Bytes content) throws MalformedException {
    CborReader in = new CborReader(content);
    in.array("snapshot", OBJECT_FIELDS);
    long version = in.uint();
    if (version != OBJECT_VERSION) {
      throw new MalformedException("snapshot version " + version + ", want " + OBJECT_VERSION);
    }
    Snapshot snapshot = Snapshot.decode(Bytes.wrap(in.bytes("snapshot", Snapshot.BYTES_MAX)));
    Bytes window = Bytes.wrap(in.bytes("window", WINDOW_BYTES_MAX));
    long from = in.uint();
    in.end();
    return new Held(snapshot, entries(window), from);
  }

  /// The snapshot that a purge names.
  ///
  /// @throws CorruptStreamException also if it is missing
  public Held named(LedgerId ledger, Purge purge) throws IOException, CorruptStreamException {
    return find(ledger, purge.height(), purge.snapshot())
        .orElseThrow(() ->
            new CorruptStreamException(
                "snapshots of " + ledger, purge.jsn(), "that of the purge is missing"));
  }

  private static List<Bytes> entries(Bytes window) throws MalformedException {
    if (window.size() % Snapshot.WINDOW_ENTRY_BYTES != 0) {
      throw new MalformedException("window of " + window.size() + " bytes");
    }
    List<Bytes> entries = new ArrayList<>(window.size() / Snapshot.WINDOW_ENTRY_BYTES);
    for (int at = 0; at < window.size(); at += Snapshot.WINDOW_ENTRY_BYTES) {
      entries.add(window.slice(at, Snapshot.WINDOW_ENTRY_BYTES));
    }
    return entries;
  }
}
