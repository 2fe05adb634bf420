package io.tallystick.server.removal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.note.NoteDraft;
import io.tallystick.server.note.NoteIndex;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.state.LocalImages;
import io.tallystick.server.state.StateImages;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/// The images that snapshots have, where several servers may own the shard: each file is an object,
/// too, durable before the note of the snapshot, and whoever follows fetches it. `"I" ‖ ledgerId ‖
/// strand u32 ‖ height u64 → [1, [[name, bytes, object bstr, place bstr]…]]`, a note; the name is
/// what stands behind the height in the file's. Of a data directory there are no such rows: the
/// files are all there is. Part of one opening of a shard. Thread-safe but for what is said.
/// Source: `docs/formats/savepoint.md`.
public final class ImageRows {
  static final Bytes PREFIX = Bytes.utf8("I");
  private static final int VERSION = 1;
  private static final int STRAND_AT = 1 + Digest.BYTES;
  private static final int HEIGHT_AT = STRAND_AT + Integer.BYTES;
  private static final int KEY_BYTES = HEIGHT_AT + Long.BYTES;
  private static final int IMAGES_MAX = 16;
  private static final int PIECE_BYTES = 1 << 20;

  private final NoteRows rows;
  private final NoteWriter writer;
  private final NotedObjects noted;
  private final ObjectStore objects;
  private final Disk disk;
  private final LocalImages local;
  private final ImageFetching fetching;
  private final Map<StrandId, NavigableMap<Long, List<Image>>> kept = new ConcurrentHashMap<>();

  /// Keys of rows that have changed since it was looked which files are missing.
  private final Set<Bytes> changed = ConcurrentHashMap.newKeySet();

  /// Changes of the thread that erases that are not done.
  private final Map<Change, UnderWay> underWay = new HashMap<>();

  /// Whether what earlier claims have left is deleted.
  private volatile boolean swept;

  /// One of the files that a snapshot has.
  ///
  /// @param suffix from the first dot of its name on
  record Image(String suffix, KeptObject object) {}

  /// @param by the height up to which it erases, or the removal by which values are made zeros
  private record Change(String what, StrandId strand, long by) {}

  /// @param before makings that may have read what is erased: all of it goes first
  private record UnderWay(
      CompletableFuture<List<NotedObjects.Unnamed>> note, Set<NotedObjects.Making> before) {}

  private ImageRows(
      NoteRows rows, NoteWriter writer, NotedObjects noted, Disk disk, LocalImages local) {
    this.rows = rows;
    this.writer = writer;
    this.noted = noted;
    this.objects = noted.store();
    this.disk = disk;
    this.local = local;
    this.fetching = new ImageFetching(objects, disk, local, this::names);
    this.swept = !objects.isShared();
  }

  /// Reads what is kept, and hears of each change from now on.
  ///
  /// @param local what the process knows of the files
  /// @throws CorruptStreamException if a row is none of images
  public static ImageRows open(
      NoteRows rows, NoteWriter writer, NotedObjects noted, Disk disk, LocalImages local)
      throws IOException, CorruptStreamException {
    ImageRows table = new ImageRows(rows, writer, noted, disk, local);
    rows.keep(PREFIX, table.new Index());
    return table;
  }

  private final class Index implements NoteIndex {
    @Override
    public void check(Bytes key, Bytes value) throws MalformedException {
      StrandId _ = strandOf(key);
      List<Image> _ = decode(value);
    }

    @Override
    public void changed(Bytes key, @Nullable Bytes value) throws MalformedException {
      NavigableMap<Long, List<Image>> its =
          kept.computeIfAbsent(strandOf(key), _ -> new ConcurrentSkipListMap<>());
      if (value == null) {
        its.remove(heightOf(key));
      } else {
        its.put(heightOf(key), decode(value));
      }
      changed.add(key);
    }
  }

  static Bytes key(StrandId strand, long height) {
    byte[] key = new byte[KEY_BYTES];
    PREFIX.copyInto(key, 0);
    strand.ledger().digest().copyInto(key, 1);
    ByteBuffer.wrap(key).putInt(STRAND_AT, strand.strand()).putLong(HEIGHT_AT, height);
    return Bytes.wrap(key);
  }

  static StrandId strandOf(Bytes key) throws MalformedException {
    if (key.size() != KEY_BYTES) {
      throw new MalformedException("image row with a key of " + key.size() + " bytes");
    }
    int strand = ByteBuffer.wrap(key.toArray()).getInt(STRAND_AT);
    if (strand < 0 || heightOf(key) < 0) {
      throw new MalformedException("image row of strand " + strand);
    }
    return new StrandId(new LedgerId(Digest.of(key.slice(1, Digest.BYTES))), strand);
  }

  static long heightOf(Bytes key) {
    return ByteBuffer.wrap(key.toArray()).getLong(HEIGHT_AT);
  }

  static Bytes encode(List<Image> images) {
    CborWriter out = new CborWriter().array(2).uint(VERSION).array(images.size());
    for (Image image : images) {
      out.array(1 + KeptObject.FIELDS).text(image.suffix());
      image.object().write(out);
    }
    return out.toBytes();
  }

  static List<Image> decode(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("image row", 2);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("image row version " + version + ", want " + VERSION);
    }
    int count = in.arrayAtMost("images", IMAGES_MAX);
    List<Image> images = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("image", 1 + KeptObject.FIELDS);
      String suffix = in.text();
      if (!suffix.matches("\\.[a-z]{1,16}")) {
        throw new MalformedException("name of an image: " + suffix);
      }
      images.add(new Image(suffix, KeptObject.read(in)));
    }
    in.end();
    return images;
  }

  /// Makes objects of the files of a snapshot, durable on return; none in a data directory.
  List<Image> put(NotedObjects.Making making, StrandId strand, long height) throws IOException {
    List<Image> images = new ArrayList<>();
    if (objects.isShared()) {
      for (String suffix : StateImages.suffixes(disk, strand, height)) {
        String file = StateImages.file(strand, height, suffix);
        KeptObject object =
            upload(making, file)
                .orElseThrow(() -> new IOException("image " + file + " went meanwhile"));
        images.add(new Image(suffix, object));
      }
    }
    return images;
  }

  /// Empty if there is no such file any more.
  private Optional<KeptObject> upload(NotedObjects.Making making, String file) throws IOException {
    Optional<DiskFile> there = disk.openIfThere(file);
    if (there.isEmpty()) {
      return Optional.empty();
    }
    try (DiskFile from = there.get();
        ObjectWriter object = objects.create()) {
      copy(from, object);
      KeptObject made = making.finish(object);
      local.has(file, made.name());
      return Optional.of(made);
    }
  }

  static KeptObject upload(Disk disk, ObjectStore objects, String file) throws IOException {
    try (DiskFile from = disk.open(file);
        ObjectWriter object = objects.create()) {
      copy(from, object);
      return object.finish();
    }
  }

  private static void copy(DiskFile from, ObjectWriter object) throws IOException {
    ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
    long at = 0;
    for (int count = from.read(0, piece); count > 0; count = from.read(at, piece)) {
      at += count;
      object.write(piece.flip());
      piece.clear();
    }
  }

  /// Notes the images of one snapshot, and forgets those of heights that have none any more.
  ///
  /// @param heights that are kept
  /// @return the objects that no row names once the notes are durable
  List<KeptObject> keep(
      NoteDraft draft, StrandId strand, long height, List<Image> images, Set<Long> heights)
      throws IOException {
    if (!objects.isShared()) {
      return List.of();
    }
    List<KeptObject> unnamed = new ArrayList<>();
    of(strand)
        .forEach((each, its) -> {
          if (each == height || !heights.contains(each)) {
            its.forEach(image -> unnamed.add(image.object()));
          }
        });
    for (long each : of(strand).keySet()) {
      if (!heights.contains(each)) {
        draft.delete(key(strand, each));
      }
    }
    draft.put(key(strand, height), encode(images));
    return unnamed;
  }

  private NavigableMap<Long, List<Image>> of(StrandId strand) {
    return kept.getOrDefault(strand, new ConcurrentSkipListMap<>());
  }

  /// The ids of the objects that rows name.
  public Set<Bytes> objects() throws IOException {
    Set<Bytes> ids = new HashSet<>();
    for (NavigableMap<Long, List<Image>> its : kept.values()) {
      for (List<Image> images : its.values()) {
        for (Image image : images) {
          ids.add(objects.idOf(image.object()));
        }
      }
    }
    return ids;
  }

  /// Whether a row names an object as one of a strand's.
  boolean names(StrandId strand, KeptObject object) {
    return of(strand).values().stream()
        .flatMap(List::stream)
        .anyMatch(image -> image.object().equals(object));
  }

  private NotedObjects.Making begin(StrandId strand) {
    return noted.begin(strand, object -> names(strand, object));
  }

  private NotedObjects.Unnamed unnamed(StrandId strand, KeptObject object) {
    return new NotedObjects.Unnamed(object, each -> names(strand, each));
  }

  /// What earlier claims have left is deleted.
  public void swept() {
    swept = true;
  }

  /// Erases the images below a height: their objects, then their rows. For the thread that erases.
  ///
  /// @return false while a note is under way: to be asked again soon
  public boolean eraseBelow(StrandId strand, long height) throws IOException {
    Change change = new Change("erase", strand, height);
    if (!underWay.containsKey(change)) {
      Set<NotedObjects.Making> before = noted.begun(strand);
      Map<Long, List<Image>> below = of(strand).headMap(height);
      for (List<Image> images : below.values()) {
        for (Image image : images) {
          objects.delete(image.object());
        }
      }
      underWay.put(change, new UnderWay(forget(strand, List.copyOf(below.keySet())), before));
    }
    return isDone(change);
  }

  private CompletableFuture<List<NotedObjects.Unnamed>> forget(
      StrandId strand, List<Long> heights) {
    if (heights.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    return writer.writeLater(
        0,
        (draft, _) -> {
          draft.checkRows(rows);
          for (long each : heights) {
            draft.delete(key(strand, each));
          }
          return List.of();
        });
  }

  /// Makes zeros of values in files.
  public interface Zeroing {
    /// @return heights of the files
    Set<Long> run() throws IOException, CorruptStreamException;
  }

  /// Makes zeros of values in files: other objects take the place of theirs, and what was made
  /// before the zeros is deleted. For the thread that erases.
  ///
  /// @param removal for which this is: what another one has made lacks its zeros
  /// @return false until that is done: to be asked again soon
  public boolean replaceValues(StrandId strand, long removal, Zeroing zeroing)
      throws IOException, CorruptStreamException {
    if (!objects.isShared()) {
      var _ = zeroing.run();
      return true;
    }
    Change change = new Change("values", strand, removal);
    if (!underWay.containsKey(change)) {
      if (!swept || !fetching.isWhole(strand)) {
        return false;
      }
      Set<Long> heights = zeroing.run();
      underWay.put(change, replaceValues(strand, heights, noted.begun(strand)));
    }
    return isDone(change);
  }

  private UnderWay replaceValues(
      StrandId strand, Set<Long> heights, Set<NotedObjects.Making> before) throws IOException {
    try (NotedObjects.Making making = begin(strand)) {
      Map<Long, KeptObject> made = new HashMap<>();
      for (long height : heights) {
        upload(making, StateImages.file(strand, height, StateImages.VALUES))
            .ifPresent(object -> made.put(height, object));
      }
      if (made.isEmpty()) {
        return new UnderWay(CompletableFuture.completedFuture(List.of()), before);
      }
      before.add(making);
      return new UnderWay(
          making.noted(
              writer.writeLater(
                  0,
                  (draft, _) -> {
                    draft.checkRows(rows);
                    List<NotedObjects.Unnamed> unnamed = new ArrayList<>();
                    for (Map.Entry<Long, KeptObject> each : made.entrySet()) {
                      replaceValues(draft, key(strand, each.getKey()), each.getValue())
                          .ifPresent(object -> unnamed.add(unnamed(strand, object)));
                    }
                    return unnamed;
                  }),
              unnamed -> unnamed),
          before);
    }
  }

  /// @return what no row names any more; empty if no snapshot has this height
  private static Optional<KeptObject> replaceValues(NoteDraft draft, Bytes key, KeptObject fresh)
      throws IOException {
    Bytes row = draft.get(key);
    if (row == null) {
      return Optional.empty();
    }
    KeptObject unnamed = fresh;
    List<Image> images = new ArrayList<>();
    for (Image image : decodedOwn(row)) {
      if (image.suffix().equals(StateImages.VALUES)) {
        unnamed = image.object();
        images.add(new Image(image.suffix(), fresh));
      } else {
        images.add(image);
      }
    }
    draft.put(key, encode(images));
    return Optional.of(unnamed);
  }

  private static List<Image> decodedOwn(Bytes row) throws IOException {
    try {
      return decode(row);
    } catch (MalformedException e) {
      throw new IOException("a row of images: " + e.getMessage(), e);
    }
  }

  /// @return whether its note is durable, and all that no row names is deleted
  private boolean isDone(Change change) throws IOException {
    UnderWay its = Objects.requireNonNull(underWay.get(change));
    if (!its.note().isDone()) {
      return false;
    }
    try {
      var _ = NoteWriter.await(its.note());
    } catch (RequestRejectedException e) {
      underWay.remove(change);
      throw new IOException("a note of images was refused: " + e.getMessage(), e);
    }
    noted.deleteUnnamed();
    if (!noted.areEnded(its.before())) {
      return false;
    }
    underWay.remove(change);
    return true;
  }

  /// Finds which files are missing. For whoever follows, and makes no snapshots.
  ///
  /// @param areAll whether no frame that is durable is to be replayed: files that no row names are
  ///   deleted then
  public void look(boolean areAll) throws IOException {
    if (!objects.isShared() || changed.isEmpty()) {
      return;
    }
    List<ImageFetching.Wanted> all = new ArrayList<>();
    kept.forEach((strand, its) ->
        its.forEach((height, images) ->
            images.forEach(each -> all.add(new ImageFetching.Wanted(strand, height, each)))));
    fetching.want(all);
    if (areAll) {
      changed.clear();
      fetching.deleteOthers(all);
    }
  }

  private boolean names(ImageFetching.Wanted image) {
    return of(image.strand()).getOrDefault(image.height(), List.of()).contains(image.image());
  }

  /// The files that are missing.
  public ImageFetching fetching() {
    return fetching;
  }
}
