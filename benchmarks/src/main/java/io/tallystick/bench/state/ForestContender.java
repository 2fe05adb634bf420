package io.tallystick.bench.state;

import io.tallystick.bench.figure.DiskUse;
import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Op;
import io.tallystick.journal.Precondition;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.forest.ForestLimits;
import io.tallystick.storage.forest.ForestReader;
import io.tallystick.storage.forest.ForestStore;
import io.tallystick.storage.forest.ForestVersion;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.forest.KeptVersions;
import io.tallystick.storage.forest.StateForest;
import io.tallystick.storage.forest.VersionAt;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.PendingFrame;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// Our state as a shard has it: a batch is one commit frame and one force, which the forest's
/// update runs beside; savepoints come as often as a shard's. A put is a journal of its own, with a
/// salt in front of its value, from which a read derives what opens the value's commitment. Opens
/// empty folders only. The one class that knows the engine.
final class ForestContender implements StateContender {
  private static final StrandId STRAND = new StrandId(new LedgerId(Digest.ZERO), 0);
  private static final StreamId STREAM = new StreamId(0);
  private static final String LOG_FOLDER = "stream";
  private static final int SALT_BYTES = 32;
  private static final int WORKERS = Runtime.getRuntime().availableProcessors();
  private static final int PROOF_ITEMS = 4;

  private final Path folder;
  private ForestSettings settings;
  private final Disk disk;
  private final StreamStore streams;
  private final StreamWriter writer;
  private final StreamReader reader;
  private final RocksMetaStore meta;
  private final Workers workers = new Workers(WORKERS, "state");
  private final ForestStore store;
  private final FrameBuffer frame = new FrameBuffer();
  private StateForest forest;
  private volatile ForestVersion newest;
  private long height;
  private long nextJsn;
  private long unsavedOperations;
  private long savedAt;
  private long savedStreamBytes;
  private long rowBytes;

  ForestContender(Path folder, ForestSettings settings) throws Exception {
    this.folder = folder;
    this.settings = settings;
    disk = LocalDisk.open(folder.resolve("data"));
    streams = LocalStreamStore.open(disk, LOG_FOLDER, StreamSettings.DEFAULT);
    writer = streams.openWriter(STREAM, 0, StreamStore.START);
    reader = streams.openReader(STREAM);
    meta = RocksMetaStore.open(folder.resolve("meta"));
    ForestLimits limits =
        ForestSettings.SHARD
            .states()
            .with(settings.versions())
            .withCacheBytes(settings.cacheBytes());
    store = ForestStore.restore(disk, meta, workers, BatchHasher.cpu(), limits);
    forest = store.forest(STRAND, settings.params());
    savedAt = System.nanoTime();
    newest = forest.version();
  }

  /// On all cores, as a service computes them before the commit loop has the journals.
  private Digest[] commits(List<Put> puts) throws Exception {
    Digest[] commits = new Digest[puts.size()];
    workers.run(
        commits.length,
        (_, from, to) -> {
          for (int i = from; i < to; i++) {
            commits[i] = Commitments.value(puts.get(i).salt(), 0, puts.get(i).value());
          }
        });
    return commits;
  }

  @Override
  public Optional<Digest> putBatch(List<Put> puts) throws Exception {
    frame.reset();
    int headerBytes = frame.frameBytes();
    List<StateEntry> entries = new ArrayList<>(puts.size());
    Digest[] commits = commits(puts);
    for (int i = 0; i < commits.length; i++) {
      Put put = puts.get(i);
      Digest commit = commits[i];
      Op op = new Op.Put(put.key(), commit, put.value().size(), new Precondition.None());
      frame.infos().put(op.encode().unsafeArray());
      frame.payloads().put(put.salt().unsafeArray()).put(put.value().unsafeArray());
      entries.add(StateEntry.put(put.key(), commit, put.value().size(), new Jsn(nextJsn++)));
    }
    int at = headerBytes + frame.infoBytes();
    PendingFrame pending = writer.append(frame);
    List<HeldEntry> held = new ArrayList<>(puts.size());
    for (StateEntry entry : entries) {
      at += SALT_BYTES;
      held.add(new HeldEntry(entry, new Location(pending.position().frame(), at)));
      at += (int) entry.valueSizeBytes();
    }
    ForestVersion version = forest.apply(++height, held);
    pending.awaitDurable();
    newest = version;
    savepointIfDue(puts.size());
    return Optional.of(version.root().digest());
  }

  private void savepointIfDue(int operations) throws IOException, CorruptStreamException {
    unsavedOperations += operations;
    long elapsedMillis = (System.nanoTime() - savedAt) / 1_000_000;
    if (unsavedOperations >= settings.savepointOperations()
        || writer.writtenBytes() - savedStreamBytes >= ForestSettings.SHARD.savepoints().bytes()
        || (settings.savesAsShipped()
            && elapsedMillis >= ForestSettings.SHARD.savepoints().millis())
        || store.savepointDue()) {
      savepoint();
    }
  }

  /// From now on a savepoint is taken after so many operations, and none because of the clock.
  void saveEvery(long operations) {
    settings = settings.withSavepointEvery(operations);
  }

  private void savepoint() throws IOException, CorruptStreamException {
    MetaBatch batch = new MetaBatch();
    forest.savepoint(batch);
    store.savepoint(batch);
    meta.write(batch);
    store.saved();
    for (MetaBatch.Change change : batch.changes()) {
      if (change instanceof MetaBatch.Change.Put(Bytes key, Bytes value)) {
        rowBytes += key.size() + value.size();
      }
    }
    savedAt = System.nanoTime();
    unsavedOperations = 0;
    savedStreamBytes = writer.writtenBytes();
  }

  @Override
  public Optional<Bytes> get(Bytes key) throws Exception {
    return value(newest, key);
  }

  /// The version of so many savepoints before the newest one.
  ContenderReads asOf(int savepointsBack) throws IOException, CorruptStreamException {
    List<Long> heights = forest.savedHeights();
    long wanted = heights.get(heights.size() - 1 - savepointsBack);
    ForestVersion version =
        switch (forest.versionAt(wanted)) {
          case VersionAt.Kept(ForestVersion recent) -> recent;
          case VersionAt.Saved saved -> saved.version();
          case VersionAt at -> throw new AssertionError(at);
        };
    return key -> value(version, key);
  }

  /// Versions that savepoints keep, with the newest.
  int savedVersions() {
    return forest.savedHeights().size();
  }

  /// Gives the oldest versions up, with a savepoint.
  ///
  /// @param versions so many
  void prune(int versions) throws IOException, CorruptStreamException {
    forest.prune(forest.savedHeights().get(versions));
    savepoint();
  }

  /// Gives all older versions up, and their room back to the file system.
  void keepNewestAlone() throws IOException, CorruptStreamException {
    savepoint();
    prune(savedVersions() - 1);
    boolean more = true;
    while (more) {
      more = store.clearSome();
    }
    savepoint();
  }

  /// Goes back to the version of so many savepoints before the newest one, and stays there. Durable
  /// on return. What was written since the newest savepoint must have been saved.
  void rollBack(int savepointsBack) throws IOException, CorruptStreamException {
    List<Long> heights = forest.savedHeights();
    long wanted = heights.get(heights.size() - 1 - savepointsBack);
    StateForest back = store.rollBack(forest, wanted).orElseThrow();
    store.publishRolledBack(back, forest, wanted);
    forest = back;
    newest = back.version();
    savepoint();
  }

  private Optional<Bytes> value(ForestVersion version, Bytes key) throws Exception {
    Optional<HeldEntry> found;
    try (ForestReader state = version.open().orElseThrow()) {
      found = state.find(key);
    }
    Location at = found.isEmpty() ? null : found.get().value();
    return at == null ? Optional.empty() : Optional.of(value(found.get().entry(), at));
  }

  /// The value that an entry commits to.
  private Bytes value(StateEntry entry, Location at) throws IOException, CorruptStreamException {
    byte[] item = new byte[SALT_BYTES + (int) entry.valueSizeBytes()];
    Location salted = new Location(at.frame(), at.offset() - SALT_BYTES);
    reader.read(salted, ByteBuffer.wrap(item));
    Bytes salt = Bytes.copyOf(item, 0, SALT_BYTES);
    Bytes value = Bytes.copyOf(item, SALT_BYTES, item.length - SALT_BYTES);
    if (!entry.valueCommit().equals(Optional.of(Commitments.value(salt, 0, value)))) {
      throw new AssertionError("value of key " + entry.key() + " does not open its commitment");
    }
    return value;
  }

  @Override
  public List<Found> range(Bytes from, int limit) throws Exception {
    List<Found> found = new ArrayList<>();
    try (ForestReader state = newest.open().orElseThrow()) {
      for (HeldEntry held : state.page(from, null, limit, Long.MAX_VALUE).entries()) {
        Location at = Objects.requireNonNull(held.value(), "a page has no tombstones");
        found.add(new Found(held.key(), value(held.entry(), at)));
      }
    }
    return found;
  }

  /// The proof of {@link #lookup}, without a seal.
  @Override
  public Optional<Bytes> proof(Bytes key) throws Exception {
    return Optional.of(encode(lookup(key)));
  }

  StateLookup lookup(Bytes key) throws IOException, CorruptStreamException {
    try (ForestReader state = newest.open().orElseThrow()) {
      return state.lookup(key);
    }
  }

  static Bytes encode(StateLookup lookup) {
    CborWriter out = new CborWriter(1 << 12).array(PROOF_ITEMS);
    lookup.encodeInto(out);
    return out.toBytes();
  }

  /// What an encoded proof says of a key under the newest root.
  StateAnswer verify(Bytes key, Bytes proof) throws ProofRejectedException, MalformedException {
    CborReader in = new CborReader(proof);
    in.array("lookup", PROOF_ITEMS);
    StateLookup lookup = StateLookup.decode(in);
    in.end();
    StateRoot root = newest.root();
    return lookup.verify(key, root, height);
  }

  /// Bytes of pages that savepoints have written so far.
  long pageBytes() {
    return rowBytes + store.slots().writtenBytes();
  }

  /// Of the forest; values are in the stream, which every ledger has.
  @Override
  public long spaceBytes() throws IOException {
    return DiskUse.lengthsBelow(folder.resolve("meta")) + DiskUse.lengthsBelow(indexFolder());
  }

  private Path indexFolder() {
    return folder.resolve("data").resolve(ForestStore.FOLDER);
  }

  /// What lies on the disk.
  ///
  /// @param index slots and files of the forest, holes left out
  /// @param rows of the meta store: the lengths of its files, which take more for what comes
  /// @param log frames with operations and values
  /// @param ahead zeros that the log has written ahead
  record Space(long index, long rows, long log, long ahead) {
    long all() {
      return index + rows + log;
    }
  }

  Space space() throws IOException, InterruptedException {
    long log = writer.writtenBytes();
    long segments = DiskUse.bytesBelow(folder.resolve("data").resolve(LOG_FOLDER));
    return new Space(
        DiskUse.bytesBelow(indexFolder()),
        DiskUse.lengthsBelow(folder.resolve("meta")),
        log,
        Math.max(0, segments - log));
  }

  /// Slots and files of the newest version, as of the newest savepoint.
  long newestBytes() throws IOException {
    long files = 0;
    try (Stream<Path> all = Files.walk(indexFolder())) {
      for (Path file : all.toList()) {
        files += ForestStore.isPartition(file.toString()) ? Files.size(file) : 0;
      }
    }
    long older = forest.kept().map(KeptVersions::olderBytes).orElse(0L);
    return store.slots().liveBytes() + files - older;
  }

  @Override
  public double cacheOfIndex() throws IOException {
    return (double) settings.cacheBytes() / Math.max(1, newestBytes());
  }

  @Override
  public String departures() {
    return settings.departures();
  }

  /// A savepoint.
  @Override
  public void settle() throws Exception {
    savepoint();
  }

  @Override
  public void close() throws IOException {
    store.close();
    workers.close();
    reader.close();
    writer.close();
    streams.close();
    meta.close();
    disk.close();
  }
}
