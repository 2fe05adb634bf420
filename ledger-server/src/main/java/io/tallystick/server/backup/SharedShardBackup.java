package io.tallystick.server.backup;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.node.Backups;
import io.tallystick.server.backup.BackupManifest.Part;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.keys.RecordedKeys;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.note.Note;
import io.tallystick.server.note.NotesSection;
import io.tallystick.server.saved.BlockTable;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.FollowingShard;
import io.tallystick.server.shard.Ownership;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.server.ship.SavepointFetcher;
import io.tallystick.server.ship.SavepointRefusedException;
import io.tallystick.server.ship.SharedObjects;
import io.tallystick.server.ship.ShippingPlaces;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Makes a backup of a cluster's shard, whose owner notices nothing: it follows the shard from a
/// shipped savepoint on, which is pinned, and has all frames up to the end that it came to. What it
/// makes is a backup of a data directory. One thread's. Source: `docs/formats/backup.md`.
public final class SharedShardBackup {
  private static final int PIECE_BYTES = 1 << 20;
  private static final int TRIES = 10;

  /// Tables of notes that tell of erasing: of a body, or of an object or image that a row names.
  private static final String ERASING = "bzI";

  private final StreamId shard;
  private final StreamStore streams;
  private final ShippingPlaces shipping;
  private final Signatures signatures;
  private final BatchHasher hasher;
  private final Backups.Progress progress;
  private long movedBytes;

  /// @param streams that are only read
  public SharedShardBackup(
      StreamId shard,
      StreamStore streams,
      ShippingPlaces shipping,
      Signatures signatures,
      BatchHasher hasher,
      Backups.Progress progress) {
    this.shard = shard;
    this.streams = streams;
    this.shipping = shipping;
    this.signatures = signatures;
    this.hasher = hasher;
    this.progress = progress;
  }

  /// @param out an empty directory, which is a backup when this returns
  /// @param work an empty directory, of no use afterwards
  /// @throws SavepointRefusedException `NONE` if no savepoint was shipped yet
  /// @throws CorruptStreamException if what is stored is damaged: it could not be restored
  public BackupManifest run(Path out, Path work)
      throws IOException, SavepointRefusedException, CorruptStreamException, ServiceKeysException {
    long takenMs = InstantSource.system().millis();
    try (Disk copied = LocalDisk.open(work.resolve("shard"));
        SavepointFetcher.Pinned _ = fetcher().fetchPinned(copied);
        MetaStore rows = RocksMetaStore.open(work.resolve("shard/meta"));
        MetaStore moved = RocksMetaStore.open(work.resolve("rows"));
        Disk to = LocalDisk.open(out)) {
      SegmentFiles segments = new SegmentFiles(to, this::moved);
      ObjectStore objects = new SharedObjects(shipping.objects().apply(shard), () -> 0);
      copy(storage(copied, rows, objects), segments);
      MovedRows written = new MovedRows(copied, rows, segments.places());
      written.write(moved, to, objects);
      List<Part> parts = new ArrayList<>(segments.parts());
      parts.addFirst(rowFile(moved, to));
      copyFiles(copied, to, parts);
      BackupManifest manifest =
          new BackupManifest(
              takenMs,
              false,
              segments.places().first(),
              segments.places().next(),
              RecordedKeys.of(moved),
              written.heads(),
              segments.damaged(),
              parts);
      manifest.write(to);
      return manifest;
    }
  }

  private SavepointFetcher fetcher() {
    return new SavepointFetcher(
        shard,
        shipping.stores().apply(shard),
        shipping.pointers().apply(shard),
        shipping.software(),
        InstantSource.system(),
        ShardConfig.defaults().disk().freeBytesMin());
  }

  private ShardStorage storage(Disk disk, MetaStore rows, ObjectStore objects) {
    return new ShardStorage(
        disk,
        rows,
        streams,
        shard,
        _ -> {
          throw new IOException("a backup claims nothing");
        },
        InstantSource.system(),
        new Ownership() {
          @Override
          public boolean isShared() {
            return true;
          }
        },
        Optional.of(objects));
  }

  /// Copies the stream and brings the shard to its end. A byte that is erased was noted to go
  /// before, so what is copied first is at least as new as the rows; of what is copied behind them
  /// nothing may have been erased meanwhile.
  private void copy(ShardStorage storage, SegmentFiles segments)
      throws IOException, CorruptStreamException, ServiceKeysException {
    try (StreamReader stream = streams.openReader(shard)) {
      int last = copyClosed(stream, segments);
      for (int i = 0; i < TRIES; i++) {
        StreamPosition end = follow(storage);
        segments.dropFrom(last);
        stream.refresh();
        copyFrom(last, end.number(), stream, segments);
        stream.refresh();
        if (!isErasedBehind(stream, end)) {
          return;
        }
      }
    }
    throw new IOException("erasing goes on all the time; try again later");
  }

  /// @return number of the first segment that is not copied
  private static int copyClosed(StreamReader stream, SegmentFiles segments)
      throws IOException, CorruptStreamException {
    for (int i = 0; i < TRIES; i++) {
      List<StreamReader.Segment> all = stream.segments();
      segments.dropFrom(0);
      try {
        for (StreamReader.Segment each : all.subList(0, all.size() - 1)) {
          segments.copy(stream, each, Long.MAX_VALUE);
        }
        return all.getLast().number();
      } catch (CorruptStreamException e) {
        stream.refresh();
        if (stream.segments().getFirst().number() == all.getFirst().number()) {
          throw e;
        }
        // A purge has dropped segments.
      }
    }
    throw new IOException("segments are dropped all the time; try again later");
  }

  private static void copyFrom(int first, long limit, StreamReader stream, SegmentFiles segments)
      throws IOException, CorruptStreamException {
    for (StreamReader.Segment each : stream.segments()) {
      if (each.number() >= first && (each.number() == first || each.firstFrame() < limit)) {
        segments.copy(stream, each, limit);
      }
    }
  }

  /// @return what the savepoint there has not
  private StreamPosition follow(ShardStorage storage) throws IOException, CorruptStreamException {
    HeadSigner nobody =
        new HeadSigner(
            new Authority("localhost"),
            signatures.generate(SignatureAlgorithm.ED25519),
            signatures.generate(SignatureAlgorithm.ED25519));
    try (FollowingShard following =
        FollowingShard.open(
            storage,
            ShardConfig.defaults(),
            ArrayLimits.DEFAULT,
            hasher,
            nobody, // nothing is signed
            new SimpleMeterRegistry())) {
      boolean _ = following.turn();
      following.save();
    }
    return SavepointRow.of(storage.meta()).position();
  }

  private static boolean isErasedBehind(StreamReader stream, StreamPosition end)
      throws IOException, CorruptStreamException {
    try (FrameCursor behind = stream.tail(end)) {
      while (behind.next()) {
        for (Note note : notes(behind)) {
          if (ERASING.indexOf(note.key().unsafeArray()[0]) >= 0) {
            return true;
          }
        }
      }
      return false;
    }
  }

  /// Whether a frame from a number on has anything but guards. A shard of which none has ships no
  /// savepoint, and there is nothing to back up.
  public static boolean holdsFrom(long number, StreamReader stream)
      throws IOException, CorruptStreamException {
    StreamPosition from = StreamStore.START;
    for (StreamReader.Segment each : stream.segments()) {
      if (from.equals(StreamStore.START) || each.firstFrame() <= number) {
        from = new StreamPosition(FrameLocations.of(each.number(), 0), each.firstFrame());
      }
    }
    try (FrameCursor frames = stream.tail(from)) {
      while (frames.next()) {
        byte[] infos = new byte[frames.infos().remaining()];
        frames.infos().duplicate().get(infos);
        if (frames.position().number() >= number
            && !(CommitFrame.checked(infos).blocks().isEmpty() && notes(frames).isEmpty())) {
          return true;
        }
      }
      return false;
    } catch (MalformedException e) {
      throw new CorruptStreamException("a frame", 0, String.valueOf(e.getMessage()), e);
    }
  }

  private static List<Note> notes(FrameCursor frame) throws CorruptStreamException {
    try {
      return NotesSection.read(frame.notes());
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "notes of frame " + frame.position().number(), 0, String.valueOf(e.getMessage()), e);
    }
  }

  private Part rowFile(MetaStore rows, Disk to) throws IOException {
    try (BackupFileWriter part = new BackupFileWriter(to, RowFile.NAME, this::moved)) {
      RowFile.Writer writer = new RowFile.Writer(part);
      writer.all(rows, (_, _) -> {});
      return writer.finish();
    }
  }

  /// @param parts gets them, and those that were written before
  private void copyFiles(Disk from, Disk to, List<Part> parts) throws IOException {
    Set<String> written = new HashSet<>(BackupFiles.in(to));
    for (String name : BackupFiles.in(from)) {
      if (name.startsWith(ArrayStore.FOLDER + "/") && !name.endsWith("/" + BlockTable.fileName())) {
        try (DiskFile file = from.open(name);
            BackupFileWriter part = new BackupFileWriter(to, name, this::moved)) {
          read(file, part::write);
          parts.add(part.finish());
        }
      }
    }
    for (String name : written) {
      MessageDigest digest = BackupFileWriter.sha256();
      try (DiskFile file = to.open(name)) {
        read(file, digest::update);
        parts.add(new Part(name, file.size(), Digest.of(digest.digest(), 0)));
      }
    }
    for (String folder : BackupFiles.foldersOf(parts.stream().map(Part::name).toList())) {
      to.forceDirectory(folder);
    }
    to.forceDirectory("");
  }

  private interface Sink {
    void take(ByteBuffer bytes) throws IOException;
  }

  private static void read(DiskFile file, Sink sink) throws IOException {
    ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
    long at = 0;
    for (int count = file.read(0, piece); count > 0; count = file.read(at, piece)) {
      at += count;
      sink.take(piece.flip());
      piece.clear();
    }
  }

  private void moved(long bytes) throws IOException {
    movedBytes += bytes;
    progress.isAt(movedBytes, 0);
  }
}
