package io.tallystick.server.host;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Backups;
import io.tallystick.node.witnessed.WitnessedLedgers;
import io.tallystick.server.backup.BackupManifest;
import io.tallystick.server.backup.ShardBackup;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.disk.DataDirectoryLock;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Backups of a data directory whose shard this process has open, one at a time, each on a thread
/// of its own.
final class LocalBackups implements Backups, AutoCloseable {
  private final Path dataDirectory;
  private final ShardStorage storage;
  private final Shard shard;
  private final ReentrantLock making = new ReentrantLock();
  private volatile boolean closing;
  private volatile long takenMs = -1;
  private volatile long takenBytes;

  LocalBackups(Path dataDirectory, ShardStorage storage, Shard shard, MeterRegistry registry) {
    this.dataDirectory = dataDirectory.toAbsolutePath().normalize();
    this.storage = storage;
    this.shard = shard;
    TimeGauge.builder("ledger.backup.age", this::ageMs, TimeUnit.MILLISECONDS)
        .description("since the newest backup of this run was begun")
        .register(registry);
    Gauge.builder("ledger.backup.bytes", () -> takenBytes)
        .description("size of the newest backup of this run")
        .baseUnit("bytes")
        .register(registry);
  }

  private Number ageMs() {
    return takenMs < 0 ? Double.NaN : Math.max(0, storage.clock().millis() - takenMs);
  }

  @Override
  public Taken take(Path directory, boolean last, Progress progress)
      throws IOException, RequestRejectedException {
    Path to = directory.toAbsolutePath().normalize();
    Nested.refuse(to, dataDirectory);
    if (closing || !making.tryLock()) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, closing ? "the service ends" : "another backup is being made");
    }
    try {
      FutureTask<Taken> work = new FutureTask<>(() -> make(to, last, progress));
      Thread.ofPlatform().name("backup").start(work);
      return await(work);
    } catch (ExecutionException e) {
      throw failure(to, e.getCause());
    } finally {
      making.unlock();
    }
  }

  /// Also when it is interrupted: the work would go on.
  private static Taken await(FutureTask<Taken> work) throws ExecutionException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return work.get();
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// @return what is not a refusal
  private static IOException failure(Path to, @Nullable Throwable cause)
      throws RequestRejectedException {
    return switch (cause) {
      case CorruptStreamException damage ->
          throw new RequestRejectedException(
              RejectionCode.DAMAGED, String.valueOf(damage.getMessage()), damage);
      case ServiceKeysException damage ->
          throw new RequestRejectedException(
              RejectionCode.DAMAGED, String.valueOf(damage.getMessage()), damage);
      case Error fault -> throw fault;
      case RuntimeException fault -> throw fault;
      case null, default ->
          new IOException(
              String.format(Locale.ROOT, "no backup in %s: %s", to, words(cause)), cause);
    };
  }

  /// The message of a file system's exception may be the path and nothing else.
  private static @Nullable String words(@Nullable Throwable cause) {
    return cause instanceof FileSystemException failure
        ? failure.getClass().getSimpleName() + ", " + failure.getMessage()
        : cause == null ? null : cause.getMessage();
  }

  /// Without a backup the directory is left as it was found.
  private Taken make(Path to, boolean last, Progress progress)
      throws IOException, CorruptStreamException, ServiceKeysException {
    Path lock = to.resolve(DataDirectoryLock.FILE_NAME);
    boolean isNew = !Files.exists(to);
    boolean isUnlocked = !Files.exists(lock);
    try {
      return makeIn(to, last, progress);
    } catch (IOException | CorruptStreamException | ServiceKeysException | RuntimeException e) {
      try {
        if (isUnlocked) {
          Files.deleteIfExists(lock);
        }
        if (isNew) {
          Files.deleteIfExists(to);
        }
      } catch (IOException left) {
        e.addSuppressed(left);
      }
      throw e;
    }
  }

  private Taken makeIn(Path to, boolean last, Progress progress)
      throws IOException, CorruptStreamException, ServiceKeysException {
    try (Disk disk = LocalDisk.open(to)) {
      if (!disk.list("").isEmpty()) {
        throw new IOException("it is not empty");
      }
      ShardBackup backup =
          new ShardBackup(
              storage,
              shard,
              WitnessedLedgers.read(dataDirectory),
              disk,
              (bytes, all) -> {
                if (closing) {
                  throw new IOException("the service ends");
                }
                progress.isAt(bytes, all);
              });
      try {
        return finish(backup.copy(last), to, disk);
      } catch (IOException | CorruptStreamException | ServiceKeysException | RuntimeException e) {
        backup.abandon(e);
        throw e;
      }
    }
  }

  /// The mark comes first: a directory without it may be opened, and then the backup is not the
  /// last.
  private Taken finish(BackupManifest manifest, Path to, Disk disk) throws IOException {
    if (manifest.last()) {
      DirectoryMarks.set(
          dataDirectory,
          DirectoryMarks.SUPERSEDED,
          String.format(
              Locale.ROOT,
              "The last backup of this directory was made to %s. Delete this file only if that backup is never restored.",
              to));
    }
    try {
      manifest.write(disk);
    } catch (IOException | RuntimeException e) {
      if (manifest.last()) {
        DirectoryMarks.clear(dataDirectory, DirectoryMarks.SUPERSEDED);
      }
      throw e;
    }
    takenBytes = manifest.bytes();
    takenMs = manifest.takenMs();
    return new Taken(
        manifest.bytes(), manifest.nextFrame(), manifest.damaged().size(), manifest.heads());
  }

  /// Ends a backup that is being made, which then is none.
  @Override
  public void close() {
    closing = true;
    making.lock(); // no more are made
  }
}
