package io.tallystick.bench.state;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Op;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.StateParams;
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
import io.tallystick.storage.forest.StateForest;
import io.tallystick.storage.forest.VersionAt;
import io.tallystick.storage.forest.VersionLimits;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameBuffer;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Our state as a shard has it: a batch is one commit frame and one force, which the forest's
/// update runs beside; savepoints come as often as a shard's. A put is a journal of its own, with a
/// salt in front of its value, from which a read derives what opens the value's commitment. Opens
/// empty folders only. The one class that knows the engine.
final class ForestContender implements StateContender {
  /// A shard's, in operations.
  static final int SAVEPOINT_OPERATIONS = 100_000;

  private static final long SAVEPOINT_STREAM_BYTES = 64L << 20;
  private static final StrandId STRAND = new StrandId(new LedgerId(Digest.ZERO), 0);
  private static final StreamId STREAM = new StreamId(0);
  private static final int SALT_BYTES = 32;
  private static final int WORKERS = Runtime.getRuntime().availableProcessors();
  private static final int PROOF_ITEMS = 4;

  private final Path folder;
  private final Settings settings;
  private final Disk disk;
  private final StreamStore streams;
  private final StreamWriter writer;
  private final StreamReader reader;
  private final RocksMetaStore meta;
  private final Workers workers = new Workers(WORKERS, "state");
  private final ForestStore store;
  private final StateForest forest;
  private final FrameBuffer frame = new FrameBuffer();
  private volatile ForestVersion newest;
  private long height;
  private long nextJsn;
  private int unsavedOperations;
  private long savedStreamBytes;
  private long rowBytes;

  /// @param savepointOperations operations after which a savepoint is taken; 64 MiB of stream are
  ///   another reason
  /// @param versions that savepoints keep
  /// @param cacheBytes of the cache of nodes
  record Settings(
      StateParams params, int savepointOperations, VersionLimits versions, long cacheBytes) {
    /// A shard's.
    static Settings of(StateParams params) {
      return of(params, ForestLimits.DEFAULT.cacheBytes());
    }

    static Settings of(StateParams params, long cacheBytes) {
      return new Settings(params, SAVEPOINT_OPERATIONS, VersionLimits.DEFAULT, cacheBytes);
    }
  }

  ForestContender(Path folder, Settings settings) throws Exception {
    this.folder = folder;
    this.settings = settings;
    disk = LocalDisk.open(folder.resolve("data"));
    streams = LocalStreamStore.open(disk, "stream", StreamSettings.DEFAULT);
    writer = streams.openWriter(STREAM, 0, StreamStore.START);
    reader = streams.openReader(STREAM);
    meta = RocksMetaStore.open(folder.resolve("meta"));
    ForestLimits usual = ForestLimits.DEFAULT;
    ForestLimits limits =
        new ForestLimits(
            settings.cacheBytes,
            usual.unsavedBytesMax(),
            usual.recentVersions(),
            usual.replacedBytesMax(),
            usual.fileEntriesMin(),
            settings.versions);
    store = ForestStore.restore(disk, meta, workers, BatchHasher.cpu(), limits);
    forest = store.forest(STRAND, settings.params);
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
    if (unsavedOperations >= settings.savepointOperations
        || writer.writtenBytes() - savedStreamBytes >= SAVEPOINT_STREAM_BYTES
        || store.savepointDue()) {
      savepoint();
    }
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

  private Optional<Bytes> value(ForestVersion version, Bytes key) throws Exception {
    Optional<HeldEntry> found;
    try (ForestReader state = version.open().orElseThrow()) {
      found = state.find(key);
    }
    Location at = found.isEmpty() ? null : found.get().value();
    if (found.isEmpty() || at == null) {
      return Optional.empty();
    }
    StateEntry entry = found.get().entry();
    byte[] item = new byte[SALT_BYTES + (int) entry.valueSizeBytes()];
    Location salted = new Location(at.frame(), at.offset() - SALT_BYTES);
    reader.read(salted, ByteBuffer.wrap(item));
    Bytes salt = Bytes.copyOf(item, 0, SALT_BYTES);
    Bytes value = Bytes.copyOf(item, SALT_BYTES, item.length - SALT_BYTES);
    if (!entry.valueCommit().equals(Optional.of(Commitments.value(salt, 0, value)))) {
      throw new AssertionError("value of key " + key + " does not open its commitment");
    }
    return Optional.of(value);
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
    return RocksHome.bytesBelow(folder.resolve("meta"))
        + RocksHome.bytesBelow(folder.resolve("data").resolve("forest"));
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
