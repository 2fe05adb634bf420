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
import io.tallystick.storage.replicated.ReplicatedStreamStore;
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

  /// Those behind which an object or image goes that a row named: of snapshots, too.
  private static final String UNNAMING = ERASING + "n";

  private final StreamId shard;
  private final ReplicatedStreamStore streams;
  private final ShippingPlaces shipping;
  private final Signatures signatures;
  private final BatchHasher hasher;
  private final Backups.Progress progress;
  private long movedBytes;

  /// @param streams that are only read
  public SharedShardBackup(
      StreamId shard,
      ReplicatedStreamStore streams,
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
        Disk to = LocalDisk.open(out)) {
      SegmentFiles segments = new SegmentFiles(to, this::moved);
      ObjectStore objects = new SharedObjects(shipping.objects().apply(shard), () -> 0);
      ShardStorage storage = storage(copied, rows, objects);
      SharedSegments stream = new SharedSegments(shard, streams, segments);
      stream.copyClosed();
      for (int i = 0; i < TRIES; i++) {
        StreamPosition end = follow(storage);
        stream.copyTo(end);
        if (stream.isNotedBehind(end, ERASING)) {
          continue;
        }
        try (MetaStore moved = RocksMetaStore.open(work.resolve("rows-" + i))) {
          new MovedRows(copied, rows, segments.places()).write(moved, to, objects);
          return finish(takenMs, copied, to, segments, moved);
        } catch (IOException | CorruptStreamException e) {
          if (!stream.isNotedBehind(end, UNNAMING)) {
            throw e;
          }
          BackupFiles.deleteIn(to); // an object was gone: the rows behind the notes name others
        }
      }
      throw new IOException("erasing goes on all the time; try again later");
    }
  }

  private BackupManifest finish(
      long takenMs, Disk copied, Disk to, SegmentFiles segments, MetaStore moved)
      throws IOException, CorruptStreamException, ServiceKeysException {
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
            SavedHeads.of(moved),
            segments.damaged(),
            parts);
    manifest.write(to);
    return manifest;
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
            && !(CommitFrame.checked(infos).blocks().isEmpty()
                && SharedSegments.notes(frames).isEmpty())) {
          return true;
        }
      }
      return false;
    } catch (MalformedException e) {
      throw new CorruptStreamException("a frame", 0, String.valueOf(e.getMessage()), e);
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
