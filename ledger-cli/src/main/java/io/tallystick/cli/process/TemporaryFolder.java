package io.tallystick.cli.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A folder for the data of a {@link ServiceProcess}, deleted on closing, and also when a signal
/// ends this process before that.
///
/// @param path where it is
/// @param atExit deletes it, unless it is to be kept
public record TemporaryFolder(Path path, Thread atExit) implements AutoCloseable {
  private static final int ATTEMPTS_MAX = 50;
  private static final long PAUSE_MS = 20;

  public static TemporaryFolder create(String prefix) throws IOException {
    return create(null, prefix);
  }

  /// @param parent null: where the system keeps temporary files
  public static TemporaryFolder create(@Nullable Path parent, String prefix) throws IOException {
    Path path =
        parent == null
            ? Files.createTempDirectory(prefix)
            : Files.createTempDirectory(parent, prefix);
    Thread atExit = new Thread(() -> deleteAfterChildren(path), "delete " + path);
    Runtime.getRuntime().addShutdownHook(atExit);
    return new TemporaryFolder(path, atExit);
  }

  /// Leaves the folder to the user.
  public void keep() {
    ServiceProcess.removeHook(atExit);
  }

  @Override
  public void close() throws IOException {
    if (ServiceProcess.removeHook(atExit)) {
      Folders.delete(path);
    }
  }

  /// The services are asked to end by hooks of their own, which run beside this one.
  private static void deleteAfterChildren(Path path) {
    CompletableFuture.allOf(
            ProcessHandle.current()
                .children()
                .map(ProcessHandle::onExit)
                .toArray(CompletableFuture<?>[]::new))
        .completeOnTimeout(null, ServiceProcess.STOP_SECONDS_MAX, TimeUnit.SECONDS)
        .join();
    for (int attempt = 0; attempt < ATTEMPTS_MAX && Files.exists(path); attempt++) {
      try {
        Folders.delete(path);
      } catch (IOException _) {
        pause(); // the command itself may still be writing
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
