package io.tallystick.server.backup;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.node.Backups;
import io.tallystick.server.backup.BackupManifest.Part;
import io.tallystick.server.keys.RecordedKeys;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.SegmentSink;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Copies a shard while it goes on: the rows of its newest savepoint, then all frames that are
/// durable by then, then the files that frames cannot give again. Appends go on beside it; nothing
/// is erased meanwhile. One thread's, for one backup. Source: docs/formats/backup.md.
public final class ShardBackup {
  private static final int PIECE_BYTES = 1 << 20;
  private static final long TOLD_BYTES = 8L << 20;

  /// After so much work it looks whether anybody waits for an answer, and rests if so, four times
  /// as long: appends keep most of their rate.
  private static final long WORK_NANOS = 10_000_000;

  private static final int REST_TIMES = 4;

  /// Damaged frames that are told one by one; the manifest names all.
  private static final int TOLD_FRAMES_MAX = 100;

  private static final Logger LOG = LoggerFactory.getLogger(ShardBackup.class);

  private final ShardStorage storage;
  private final Shard shard;
  private final Disk to;
  private final Backups.Progress progress;
  private final List<Part> parts = new ArrayList<>();
  private final List<String> written = new ArrayList<>();
  private final List<Long> damaged = new ArrayList<>();
  private final Set<Long> unfinished = new HashSet<>();
  private final BackedUpHeads heads;
  private long firstFrame;
  private long nextFrame;
  private long allBytes;
  private long movedBytes;
  private long toldBytes;
  private long workedFrom;

  /// @param to the backup's own directory
  /// @param witnessed ledgers whose heads were shown to witnesses
  public ShardBackup(
      ShardStorage storage,
      Shard shard,
      Set<LedgerId> witnessed,
      Disk to,
      Backups.Progress progress) {
    this.storage = storage;
    this.shard = shard;
    this.heads = new BackedUpHeads(shard, witnessed);
    this.to = to;
    this.progress = progress;
  }

  /// Copies all. It is no backup before the manifest is written.
  ///
  /// @param last see {@link BackupManifest#last}
  /// @throws IOException also if the directory is not empty, or `progress` throws
  /// @throws CorruptStreamException if headers or info sections are damaged: it could not be
  ///   restored
  /// @throws ServiceKeysException if the rows of the keys are damaged
  public BackupManifest copy(boolean last)
      throws IOException, CorruptStreamException, ServiceKeysException {
    if (!to.list("").isEmpty()) {
      throw new IOException("it has files already: a backup needs an empty directory");
    }
    long takenMs = storage.clock().millis();
    workedFrom = System.nanoTime();
    shard.removals().still().hold();
    try {
      unfinished.addAll(shard.tables().erasures().unfinished());
      copyAll();
    } catch (MalformedException e) {
      throw new IOException("rows of erasures: " + e.getMessage(), e);
    } finally {
      shard.removals().resume();
    }
    RecordedKeys keys = RecordedKeys.of(storage.meta());
    return new BackupManifest(
        takenMs, last, firstFrame, nextFrame, keys, heads.sealed(), damaged, parts);
  }

  private void copyAll() throws IOException, CorruptStreamException {
    try (BackupFileWriter part = part(RowFile.NAME)) {
      RowFile.Writer rows = new RowFile.Writer(part);
      rows.all(storage.meta(), this::see);
      // Behind the rows: a shard that opens itself again between them has its new end.
      try (StreamReader stream = storage.streams().openReader(storage.stream())) {
        List<StreamReader.Segment> segments = stream.segments();
        rows.late(storage.meta());
        parts.add(rows.finish());
        copyAll(stream, segments);
      }
    }
  }

  private void copyAll(StreamReader stream, List<StreamReader.Segment> segments)
      throws IOException, CorruptStreamException {
    List<String> files = BackupFiles.in(storage.disk());
    allBytes = movedBytes + segments.stream().mapToLong(StreamReader.Segment::bytes).sum();
    for (String file : files) {
      try (DiskFile from = opened(file)) {
        allBytes += from.size();
      }
    }
    progress.isAt(movedBytes, allBytes);
    firstFrame = segments.getFirst().firstFrame();
    nextFrame = firstFrame;
    for (StreamReader.Segment segment : segments) {
      copy(stream, segment);
    }
    for (String file : files) {
      copy(file);
    }
    forceFolders();
  }

  private void see(Bytes key, Bytes value) throws IOException {
    try {
      heads.see(key, value);
    } catch (MalformedException e) {
      throw new IOException("row " + key.hex() + ": " + e.getMessage(), e);
    }
  }

  private void copy(StreamReader stream, StreamReader.Segment segment)
      throws IOException, CorruptStreamException {
    String name = BackupFiles.segment(storage.stream(), segment.number());
    try (BackupFileWriter part = part(name)) {
      nextFrame =
          stream.copy(
              segment,
              unfinished,
              new SegmentSink() {
                @Override
                public void header(ByteBuffer bytes) throws IOException {
                  part.write(bytes);
                }

                @Override
                public void frame(long number, ByteBuffer bytes, int infoBytes)
                    throws IOException, CorruptStreamException {
                  heads.see(number, bytes, infoBytes, name);
                  part.write(bytes);
                }

                @Override
                public void damaged(long number, long position) {
                  seeDamaged(number, name, position);
                }
              });
      parts.add(part.finish());
    }
  }

  private void seeDamaged(long frame, String file, long position) {
    damaged.add(frame);
    if (damaged.size() <= TOLD_FRAMES_MAX) {
      LOG.error(
          "backup: bodies of frame {}, in {} at {}, are damaged and copied as they are",
          frame,
          file,
          position);
    }
  }

  /// As long as it is now: what is appended to it meanwhile is in the frames.
  private void copy(String file) throws IOException {
    try (DiskFile from = opened(file);
        BackupFileWriter part = part(file)) {
      long size = from.size();
      ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
      int count = PIECE_BYTES;
      for (long at = 0; at < size && count > 0; at += count) {
        piece.clear().limit((int) Math.min(PIECE_BYTES, size - at));
        count = from.read(at, piece);
        part.write(piece.flip());
      }
      parts.add(part.finish());
    }
  }

  private DiskFile opened(String file) throws IOException {
    return storage
        .disk()
        .openIfThere(file)
        .orElseThrow(() -> new IOException("file " + file + " was deleted meanwhile"));
  }

  private void forceFolders() throws IOException {
    for (String folder : BackupFiles.foldersOf(written)) {
      to.forceDirectory(folder);
    }
    to.forceDirectory("");
  }

  private void moved(long bytes) throws IOException {
    movedBytes += bytes;
    if (movedBytes - toldBytes >= TOLD_BYTES) {
      toldBytes = movedBytes;
      progress.isAt(Math.min(movedBytes, allBytes), allBytes);
    }
    long worked = System.nanoTime() - workedFrom;
    if (worked >= WORK_NANOS) {
      if (shard.admittedBytes() > 0) {
        LockSupport.parkNanos(REST_TIMES * worked);
      }
      workedFrom = System.nanoTime();
    }
  }

  private BackupFileWriter part(String name) throws IOException {
    written.add(name);
    return new BackupFileWriter(to, name, this::moved);
  }

  /// Deletes what was written, as far as that is possible: it is no backup, and will not be one.
  ///
  /// @param cause gets what failed besides
  public void abandon(Exception cause) {
    try {
      for (String name : written) {
        to.delete(name);
      }
      to.delete(BackupManifest.NEW);
      for (String folder : BackupFiles.foldersOf(written).reversed()) {
        to.delete(folder);
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }
}
