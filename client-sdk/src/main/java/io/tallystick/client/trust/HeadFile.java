package io.tallystick.client.trust;

import io.tallystick.durable.DurableFile;
import io.tallystick.durable.FileSteps;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The newest trusted head of a strand on disk. Two slots are written by turns, each with one write
/// that has reached the disk when it returns; a crash at any moment leaves the old head or the new
/// one. Files of the first format, a bare statement, are read, and become slots when they are first
/// replaced. A statement too long for a slot is kept in the first format still.
///
/// The file stays open between replacements. Calls that write are made under the folder's lock.
final class HeadFile implements AutoCloseable {
  private final FileSteps steps;
  private final Path path;
  private final DurableFile whole;
  private FileSteps.@Nullable OpenFile slots;

  HeadFile(FileSteps steps, Path directory, String name) {
    this.steps = steps;
    this.path = directory.resolve(name);
    this.whole = new DurableFile(steps, directory, name);
  }

  Path path() {
    return path;
  }

  /// @throws MalformedException if it is damaged. Without the lock that may also be a write of
  ///   another process half seen; look again under it
  Optional<Bytes> read() throws IOException, MalformedException {
    Optional<byte[]> file = steps.read(path);
    return file.isEmpty() ? Optional.empty() : Optional.of(content(file.get()));
  }

  private static Bytes content(byte[] file) throws MalformedException {
    return HeadSlots.isSlots(file) ? HeadSlots.newest(file).content() : Bytes.copyOf(file);
  }

  /// The head that another process has left, made durable: that process may have ended before its
  /// write had. Empty if there is no file.
  Optional<Bytes> adopt() throws IOException, MalformedException {
    byte[] file = current();
    if (file == null) {
      return Optional.empty();
    }
    Bytes content = content(file);
    write(file, content);
    return Optional.of(content);
  }

  /// Replaces the head if it is still `expected`.
  ///
  /// @return whether it was; if not, another process has moved it
  boolean replace(Optional<Bytes> expected, Bytes next) throws IOException, MalformedException {
    byte[] file = current();
    Optional<Bytes> found = file == null ? Optional.empty() : Optional.of(content(file));
    if (!found.equals(expected)) {
      return false;
    }
    write(file, next);
    return true;
  }

  private void write(byte @Nullable [] file, Bytes next) throws IOException, MalformedException {
    if (file == null || !HeadSlots.isSlots(file) || !HeadSlots.fits(next)) {
      whole.replace(HeadSlots.fits(next) ? HeadSlots.first(next) : next);
      return;
    }
    HeadSlots.Write write = HeadSlots.newest(file).next(next);
    try {
      open().write(write.position(), write.sectors().unsafeArray());
    } catch (IOException e) {
      // A descriptor whose write has failed is never used again.
      close();
      throw e;
    }
  }

  /// The file as it is now, through the open descriptor if that is still the file of this name.
  private byte @Nullable [] current() throws IOException {
    FileSteps.OpenFile open = slots;
    if (open != null && open.isStill(path)) {
      return open.read();
    }
    close();
    return steps.read(path).orElse(null);
  }

  private FileSteps.OpenFile open() throws IOException {
    FileSteps.OpenFile open = slots;
    if (open == null) {
      open = steps.open(path);
      slots = open;
    }
    return open;
  }

  @Override
  public void close() throws IOException {
    FileSteps.OpenFile open = slots;
    slots = null;
    if (open != null) {
      open.close();
    }
  }
}
