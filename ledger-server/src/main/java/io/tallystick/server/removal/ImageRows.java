package io.tallystick.server.removal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
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
import io.tallystick.server.state.StateImages;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.storage.object.StoredObject;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The images that snapshots have, where several servers may own the shard: each file is an object,
/// too, durable before the note of the snapshot, and whoever follows fetches it. `"I" ‖ ledgerId ‖
/// strand u32 ‖ height u64 → [1, [[name, bytes, object bstr, place bstr]…]]`, a note; the name is
/// what stands behind the height in the file's. Of a data directory there are no such rows: the
/// files are all there is. Part of one opening of a shard. Thread-safe but for what is said.
/// Source: `docs/formats/savepoint.md`.
public final class ImageRows {
  private static final Logger LOG = LoggerFactory.getLogger(ImageRows.class);
  private static final Bytes PREFIX = Bytes.utf8("I");
  private static final int VERSION = 1;
  private static final int STRAND_AT = 1 + Digest.BYTES;
  private static final int HEIGHT_AT = STRAND_AT + Integer.BYTES;
  private static final int KEY_BYTES = HEIGHT_AT + Long.BYTES;
  private static final int IMAGES_MAX = 16;
  private static final int PIECE_BYTES = 1 << 20;

  private final NoteRows rows;
  private final NoteWriter writer;
  private final ObjectStore objects;
  private final Disk disk;
  private final Map<StrandId, NavigableMap<Long, List<Image>>> kept = new ConcurrentHashMap<>();

  /// Keys of rows that have changed since files were fetched.
  private final Set<Bytes> changed = ConcurrentHashMap.newKeySet();

  /// Changes of the thread that erases, whose notes are under way.
  private final Map<Change, CompletableFuture<List<KeptObject>>> underWay = new HashMap<>();

  /// One of the files that a snapshot has.
  ///
  /// @param suffix from the first dot of its name on
  record Image(String suffix, KeptObject object) {}

  private record Change(String what, StrandId strand, long height) {}

  private ImageRows(NoteRows rows, NoteWriter writer, ObjectStore objects, Disk disk) {
    this.rows = rows;
    this.writer = writer;
    this.objects = objects;
    this.disk = disk;
  }

  /// Reads what is kept, and hears of each change from now on.
  ///
  /// @throws CorruptStreamException if a row is none of images
  public static ImageRows open(NoteRows rows, NoteWriter writer, ObjectStore objects, Disk disk)
      throws IOException, CorruptStreamException {
    ImageRows table = new ImageRows(rows, writer, objects, disk);
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

  private static Bytes key(StrandId strand, long height) {
    byte[] key = new byte[KEY_BYTES];
    PREFIX.copyInto(key, 0);
    strand.ledger().digest().copyInto(key, 1);
    ByteBuffer.wrap(key).putInt(STRAND_AT, strand.strand()).putLong(HEIGHT_AT, height);
    return Bytes.wrap(key);
  }

  private static StrandId strandOf(Bytes key) throws MalformedException {
    if (key.size() != KEY_BYTES) {
      throw new MalformedException("image row with a key of " + key.size() + " bytes");
    }
    int strand = ByteBuffer.wrap(key.toArray()).getInt(STRAND_AT);
    if (strand < 0 || heightOf(key) < 0) {
      throw new MalformedException("image row of strand " + strand);
    }
    return new StrandId(new LedgerId(Digest.of(key.slice(1, Digest.BYTES))), strand);
  }

  private static long heightOf(Bytes key) {
    return ByteBuffer.wrap(key.toArray()).getLong(HEIGHT_AT);
  }

  /// Makes objects of all images of a folder, and rows that name them.
  ///
  /// @param batch gets the rows
  public static void place(Disk disk, ObjectStore objects, MetaBatch batch) throws IOException {
    for (StateImages.Snapshot each : StateImages.snapshots(disk)) {
      List<Image> images = new ArrayList<>();
      for (String suffix : StateImages.suffixes(disk, each.strand(), each.height())) {
        String file = StateImages.file(each.strand(), each.height(), suffix);
        images.add(new Image(suffix, upload(disk, objects, file)));
      }
      batch.put(key(each.strand(), each.height()), encode(images));
    }
  }

  /// Whether a row says where images are.
  public static boolean isRow(Bytes key) {
    return key.slice(0, PREFIX.size()).equals(PREFIX);
  }

  private static Bytes encode(List<Image> images) {
    CborWriter out = new CborWriter().array(2).uint(VERSION).array(images.size());
    for (Image image : images) {
      out.array(1 + KeptObject.FIELDS).text(image.suffix());
      image.object().write(out);
    }
    return out.toBytes();
  }

  private static List<Image> decode(Bytes row) throws MalformedException {
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
  List<Image> put(StrandId strand, long height) throws IOException {
    List<Image> images = new ArrayList<>();
    if (objects.isShared()) {
      for (String suffix : StateImages.suffixes(disk, strand, height)) {
        images.add(new Image(suffix, upload(StateImages.file(strand, height, suffix))));
      }
    }
    return images;
  }

  private KeptObject upload(String file) throws IOException {
    return upload(disk, objects, file);
  }

  private static KeptObject upload(Disk disk, ObjectStore objects, String file) throws IOException {
    try (DiskFile from = disk.open(file);
        ObjectWriter object = objects.create()) {
      ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
      long at = 0;
      for (int count = from.read(0, piece); count > 0; count = from.read(at, piece)) {
        at += count;
        object.write(piece.flip());
        piece.clear();
      }
      return object.finish();
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

  /// Erases the images below a height: their objects, then their rows. For the thread that erases.
  ///
  /// @return false while a note is under way: to be asked again soon
  public boolean eraseBelow(StrandId strand, long height) throws IOException {
    Map<Long, List<Image>> below = of(strand).headMap(height);
    Change change = new Change("erase", strand, height);
    if (below.isEmpty()) {
      underWay.remove(change);
      return true;
    }
    if (!underWay.containsKey(change)) {
      for (List<Image> images : below.values()) {
        for (Image image : images) {
          objects.delete(image.object());
        }
      }
    }
    List<Long> heights = List.copyOf(below.keySet());
    return isNoted(
        change,
        draft -> {
          for (long each : heights) {
            draft.delete(key(strand, each));
          }
          return List.of();
        });
  }

  /// Values were made zeros in files of these heights: other objects take the place of theirs,
  /// which are deleted. For the thread that erases.
  ///
  /// @return false while a note is under way: to be asked again soon
  public boolean replaceValues(StrandId strand, Set<Long> heights) throws IOException {
    if (!objects.isShared() || heights.isEmpty()) {
      return true;
    }
    Change change = new Change("values", strand, 0);
    Map<Long, KeptObject> made = new HashMap<>();
    if (!underWay.containsKey(change)) {
      for (long height : heights) {
        made.put(height, upload(StateImages.file(strand, height, StateImages.VALUES)));
      }
    }
    return isNoted(
        change,
        draft -> {
          List<KeptObject> unnamed = new ArrayList<>();
          for (Map.Entry<Long, KeptObject> each : made.entrySet()) {
            unnamed.add(replaceValues(draft, key(strand, each.getKey()), each.getValue()));
          }
          return unnamed;
        });
  }

  /// @return what no row names any more
  private static KeptObject replaceValues(NoteDraft draft, Bytes key, KeptObject fresh)
      throws IOException {
    Bytes row = draft.get(key);
    KeptObject unnamed = fresh; // if no snapshot has this height
    if (row != null) {
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
    }
    return unnamed;
  }

  private static List<Image> decodedOwn(Bytes row) throws IOException {
    try {
      return decode(row);
    } catch (MalformedException e) {
      throw new IOException("a row of images: " + e.getMessage(), e);
    }
  }

  /// Puts notes into a draft.
  private interface Decision {
    /// @return the objects that no row names once the notes are durable
    List<KeptObject> decide(NoteDraft draft) throws IOException;
  }

  /// @return whether it is durable, and what no row names is deleted
  private boolean isNoted(Change change, Decision decision) throws IOException {
    CompletableFuture<List<KeptObject>> noted = underWay.get(change);
    if (noted == null) {
      underWay.put(
          change,
          writer.writeLater(
              0,
              (draft, _) -> {
                draft.checkRows(rows);
                return decision.decide(draft);
              }));
      return false;
    }
    if (!noted.isDone()) {
      return false;
    }
    underWay.remove(change);
    try {
      for (KeptObject unnamed : NoteWriter.await(noted)) {
        objects.delete(unnamed);
      }
      return true;
    } catch (RequestRejectedException e) {
      throw new IOException("a note of images was refused: " + e.getMessage(), e);
    }
  }

  /// Makes the files those that rows name. For whoever follows, and makes no snapshots.
  public void fetch() throws IOException, CorruptStreamException {
    if (!objects.isShared() || changed.isEmpty()) {
      return;
    }
    changed.clear();
    Set<String> named = new HashSet<>();
    for (Map.Entry<StrandId, NavigableMap<Long, List<Image>>> strand : kept.entrySet()) {
      for (Map.Entry<Long, List<Image>> each : strand.getValue().entrySet()) {
        for (Image image : each.getValue()) {
          String file = StateImages.file(strand.getKey(), each.getKey(), image.suffix());
          named.add(file);
          if (!isThere(file, image)) {
            fetch(file, image.object());
          }
        }
      }
    }
    StateImages.deleteAllBut(disk, named);
  }

  /// Values alone are ever changed in their place.
  private boolean isThere(String file, Image image) throws IOException {
    Optional<DiskFile> there = disk.openIfThere(file);
    if (there.isEmpty()) {
      return false;
    }
    try (DiskFile opened = there.get()) {
      return opened.size() == image.object().bytes()
          && (!image.suffix().equals(StateImages.VALUES)
              || nameOf(opened).equals(image.object().name()));
    }
  }

  private static Digest nameOf(DiskFile file) throws IOException {
    MessageDigest sha256 = Sha256.newDigest();
    ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
    long at = 0;
    for (int count = file.read(0, piece); count > 0; count = file.read(at, piece)) {
      at += count;
      sha256.update(piece.flip());
      piece.clear();
    }
    return Digest.of(sha256.digest());
  }

  private void fetch(String file, KeptObject object) throws IOException, CorruptStreamException {
    Optional<StoredObject> found = objects.open(object);
    if (found.isEmpty()) {
      LOG.info("image {} is erased", file); // its row goes, too
      return;
    }
    String unfinished = file + StateImages.NEW;
    disk.delete(unfinished);
    try (StoredObject stored = found.get();
        DiskFile to = disk.open(unfinished)) {
      long[] at = {0};
      stored.copyTo(bytes -> {
        int count = bytes.remaining();
        to.write(at[0], bytes);
        at[0] += count;
      });
      to.force();
    }
    StateImages.publish(disk, file);
  }
}
