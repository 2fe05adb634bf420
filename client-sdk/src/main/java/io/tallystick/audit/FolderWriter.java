package io.tallystick.audit;

import io.tallystick.durable.DurableFile;
import io.tallystick.durable.FileSteps;
import io.tallystick.durable.LocalFileSteps;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Writes many files, several at a time, and says when all of them are on the disk: forcing is
/// waiting. Each appears under its name only when it is whole. Used by one thread.
final class FolderWriter implements AutoCloseable {
  private static final int THREADS = 8;
  private static final int WAITING_MAX = 64;

  private final Path folder;
  private final FileSteps steps = new LocalFileSteps();
  private final ExecutorService writers =
      Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().name("export-", 0).factory());
  private final Semaphore room = new Semaphore(WAITING_MAX);
  private final Set<Path> folders = new HashSet<>();
  private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();

  FolderWriter(Path folder) {
    this.folder = folder;
  }

  /// @param path with slashes, below the folder
  void write(String path, Bytes content) throws IOException {
    throwIfFailed();
    Path parent = parent(path);
    if (folders.add(parent)) {
      Files.createDirectories(parent);
    }
    take(1);
    writers.execute(() -> {
      try {
        writeWhole(folder.resolve(path), content);
      } catch (IOException e) {
        failure.compareAndSet(null, e);
      } finally {
        room.release();
      }
    });
  }

  /// What an earlier export left there, and is the same, stays.
  private void writeWhole(Path file, Bytes content) throws IOException {
    if (steps.read(file).map(Bytes::wrap).filter(content::equals).isPresent()) {
      return;
    }
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    steps.write(temporary, content.unsafeArray());
    steps.force(temporary);
    steps.rename(temporary, file);
  }

  private Path parent(String path) {
    return folder.resolve(path.substring(0, Math.max(0, path.lastIndexOf('/'))));
  }

  /// Returns when all that was written is on the disk, under its name.
  void force() throws IOException {
    take(WAITING_MAX);
    room.release(WAITING_MAX);
    throwIfFailed();
    for (Path each : folders) {
      for (Path up = each; up != null && up.startsWith(folder); up = up.getParent()) {
        steps.forceDirectory(up);
      }
    }
  }

  /// Writes what makes the rest valid, after {@link #force}.
  void seal(String name, Bytes content) throws IOException {
    Files.createDirectories(folder);
    DurableFile.in(folder, name).replace(content);
  }

  private void take(int permits) throws IOException {
    try {
      room.acquire(permits);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while writing to " + folder, e);
    }
  }

  private void throwIfFailed() throws IOException {
    IOException cause = failure.get();
    if (cause != null) {
      throw new IOException("writing to " + folder + " failed: " + cause.getMessage(), cause);
    }
  }

  @Override
  public void close() {
    writers.shutdown();
    writers.close();
  }
}
