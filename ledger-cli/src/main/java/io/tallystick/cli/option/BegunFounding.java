package io.tallystick.cli.option;

import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.client.PendingRequest;
import io.tallystick.client.failure.TallyException;
import io.tallystick.crypto.Sha256;
import io.tallystick.durable.PrivateFile;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/// A founding that is kept from before it is sent until all that belongs to it is done, as a {@link
/// PendingFile}. While a command works on it, its lock keeps others from going on with it.
public final class BegunFounding implements AutoCloseable {
  /// More bytes than any founding has.
  private static final long BYTES_MAX = 64 << 10;

  /// Pending files that are looked at.
  private static final int FILES_MAX = 1_000;

  private final Path file;
  private final Bytes sent;
  private final FileChannel locked;

  private BegunFounding(Path file, Bytes sent, FileChannel locked) {
    this.file = file;
    this.sent = sent;
    this.locked = locked;
  }

  /// Says of a pending file whether it is the founding to go on with.
  @FunctionalInterface
  public interface Wanted {
    boolean test(PendingRequest pending) throws TallyException;
  }

  /// Keeps one that is about to be sent.
  public static BegunFounding begin(Path trust, Bytes sent) throws IOException {
    Path parent = trust.toAbsolutePath().normalize();
    Path folder = parent.resolve(PendingFile.FOLDER);
    String name = Sha256.hash(sent.toArray()).hex();
    Path aside = folder.resolve(name + ".begun");
    Path file = folder.resolve(name + ".pending");
    try {
      PrivateFile.createDirectory(folder);
      PrivateFile.replace(aside, sent.toArray());
      FileChannel channel = FileChannel.open(aside, StandardOpenOption.WRITE);
      try {
        FileLock _ = channel.lock(); // it goes along with the file
        Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
        PrivateFile.force(folder);
        PrivateFile.force(parent);
        return new BegunFounding(file, sent, channel);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      Files.deleteIfExists(aside); // nothing was sent yet
      throw LocalPaths.notWritten(file, e);
    }
  }

  /// One that broke off and is wanted again.
  public static Optional<BegunFounding> find(Path trust, Wanted wanted)
      throws TallyException, IOException {
    Path folder = trust.toAbsolutePath().normalize().resolve(PendingFile.FOLDER);
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.pending")) {
      int seen = 0;
      for (Path file : files) {
        if (++seen > FILES_MAX) {
          break;
        }
        Optional<BegunFounding> found = look(file, wanted);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  /// A file that cannot be read is passed over: whoever names it to send it again is told.
  private static Optional<BegunFounding> look(Path file, Wanted wanted) throws TallyException {
    try {
      if (Files.size(file) > BYTES_MAX) {
        return Optional.empty();
      }
      PendingRequest pending = new PendingFile(file).read();
      if (!wanted.test(pending)) {
        return Optional.empty();
      }
      FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
      if (tryLock(channel) && Files.exists(file)) {
        return Optional.of(new BegunFounding(file, pending.encode(), channel));
      }
      channel.close();
    } catch (IOException _) {
      // Somebody else has just ended it, or it is damaged.
    }
    return Optional.empty();
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException _) {
      return false; // by another command of this process
    }
  }

  /// The founding as it was signed: a pending request.
  public Bytes sent() {
    return sent;
  }

  /// All of it is done, or none of it ever will be.
  public void delete() throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void close() throws IOException {
    locked.close();
  }
}
