package io.tallystick.audit.export;

import io.tallystick.durable.DurableFile;
import io.tallystick.durable.FileSteps;
import io.tallystick.durable.LocalFileSteps;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Writes many files, several at a time, and says when all of them are on the disk: forcing is
/// waiting. Each appears under its name only when it is whole. Used by one thread.
final class FolderWriter implements AutoCloseable {
  private static final int THREADS = 8;
  private static final int WAITING_BYTES_MAX = 64 << 20;

  /// The bytes that a smaller file counts as, among those that wait to be written.
  private static final int FILE_BYTES_MIN = 64 << 10;

  private static final String TEMPORARY = ".tmp";

  private final Path folder;
  private final FileSteps steps = new LocalFileSteps();
  private final ExecutorService writers =
      Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().name("export-", 0).factory());
  private final Semaphore room = new Semaphore(WAITING_BYTES_MAX);
  private final Set<Path> folders = new HashSet<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  FolderWriter(Path folder) {
    this.folder = folder;
  }

  /// Makes the folder that of `owner`: it must be new, empty or be that already.
  ///
  /// @param marker the file that says whose it is; written before any other
  void claim(String marker, Bytes owner) throws IOException {
    Files.createDirectories(folder);
    DurableFile file = DurableFile.in(folder, marker);
    Optional<Bytes> there = file.read();
    if (there.isEmpty()) {
      try (Stream<Path> files = Files.list(folder)) {
        if (files.anyMatch(each -> !each.toString().endsWith(TEMPORARY))) {
          throw inTheWay("is not empty and holds no export");
        }
      }
      file.replace(owner);
    } else if (!there.get().equals(owner)) {
      throw inTheWay("holds the export of another ledger, or " + marker + " was changed");
    }
  }

  private FileSystemException inTheWay(String why) {
    return new FileSystemException(folder.toString(), null, why);
  }

  /// The content of the file of this name in the folder; empty if there is none.
  Optional<Bytes> read(String name) throws IOException {
    return steps.read(folder.resolve(name)).map(Bytes::wrap);
  }

  /// Writes a file that never changes.
  ///
  /// @param path with slashes, below the folder
  /// @throws ProofRejectedException if one of the files before is there with other content: an
  ///   earlier export had another log, or somebody changed the file
  void write(String path, Bytes content) throws IOException, ProofRejectedException {
    submit(path, content, false);
  }

  /// Writes a file that may come to say less.
  void replace(String path, Bytes content) throws IOException, ProofRejectedException {
    submit(path, content, true);
  }

  private void submit(String path, Bytes content, boolean replace)
      throws IOException, ProofRejectedException {
    throwIfFailed();
    Path parent = folder.resolve(path.substring(0, Math.max(0, path.lastIndexOf('/'))));
    if (folders.add(parent)) {
      Files.createDirectories(parent);
    }
    int room = Math.clamp(content.size(), FILE_BYTES_MIN, WAITING_BYTES_MAX);
    take(room);
    writers.execute(() -> {
      try {
        writeWhole(path, content, replace);
      } catch (Throwable e) {
        // All of them: or the checkpoint would come to stand over a file that is not there.
        failure.compareAndSet(null, e);
      } finally {
        this.room.release(room);
      }
    });
  }

  private void writeWhole(String path, Bytes content, boolean replace)
      throws IOException, ProofRejectedException {
    Path file = folder.resolve(path);
    Optional<Bytes> there = steps.read(file).map(Bytes::wrap);
    if (there.isPresent() && there.get().equals(content)) {
      return;
    }
    if (there.isPresent() && !replace) {
      throw new ProofRejectedException(
          Reason.FORK, file + " is not what the log has there now, and such a file never changes");
    }
    Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY);
    steps.write(temporary, content.unsafeArray());
    steps.force(temporary);
    steps.rename(temporary, file);
  }

  /// Returns when all that was written is on the disk, under its name.
  void force() throws IOException, ProofRejectedException {
    take(WAITING_BYTES_MAX);
    room.release(WAITING_BYTES_MAX);
    throwIfFailed();
    for (Path each : folders) {
      for (Path up = each; up != null && up.startsWith(folder); up = up.getParent()) {
        steps.forceDirectory(up);
      }
    }
  }

  /// Writes what makes the rest valid, after {@link #force}.
  void seal(String name, Bytes content) throws IOException {
    DurableFile.in(folder, name).replace(content);
  }

  /// Removes the partial files of a full one's name.
  ///
  /// @param kept one of them, or the full one, or none
  void removePartial(String full, String kept) throws IOException {
    Path partial = folder.resolve(full + ".p");
    if (Files.isDirectory(partial)) {
      try (Stream<Path> files = Files.list(partial)) {
        for (Path file : files.filter(each -> !each.equals(folder.resolve(kept))).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /// Removes a file that may not be there.
  void remove(String path) throws IOException {
    Files.deleteIfExists(folder.resolve(path));
  }

  private void take(int permits) throws IOException {
    try {
      room.acquire(permits);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while writing to " + folder, e);
    }
  }

  private void throwIfFailed() throws IOException, ProofRejectedException {
    switch (failure.get()) {
      case null -> {}
      case IOException cause -> throw cause;
      case ProofRejectedException evidence -> throw evidence;
      case Throwable cause ->
          throw new AssertionError("writing failed in an unforeseen way", cause);
    }
  }

  @Override
  public void close() {
    writers.shutdown();
    writers.close();
  }
}
