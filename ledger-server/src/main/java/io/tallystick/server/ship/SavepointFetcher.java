package io.tallystick.server.ship;

import io.tallystick.server.ship.SavepointRefusedException.Reason;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.disk.DiskName;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes a shard's directory of a shipped savepoint. One thread's. Source:
/// docs/formats/shipped-savepoint.md.
public final class SavepointFetcher {
  private static final Logger LOG = LoggerFactory.getLogger(SavepointFetcher.class);

  /// Follows the name of a directory that is not whole.
  static final String UNFINISHED = ".fetch";

  /// A savepoint may be dropped while it is being pinned.
  private static final int PINS_MAX = 10;

  private final StreamId shard;
  private final SavepointStore store;
  private final SavepointPointer pointer;
  private final SavepointManifest.Software software;
  private final InstantSource clock;
  private final long freeBytesMin;

  /// @param software whose shard it will be
  /// @param freeBytesMin of the disk, which stay free
  public SavepointFetcher(
      StreamId shard,
      SavepointStore store,
      SavepointPointer pointer,
      SavepointManifest.Software software,
      InstantSource clock,
      long freeBytesMin) {
    this.shard = shard;
    this.store = store;
    this.pointer = pointer;
    this.software = software;
    this.clock = clock;
    this.freeBytesMin = freeBytesMin;
  }

  /// The savepoints that can be fetched, newest first.
  ///
  /// @throws CorruptStreamException if the pointer is damaged
  public List<PublishedSavepoint> published() throws IOException, CorruptStreamException {
    return pointer.read();
  }

  /// Fetches the newest savepoint.
  ///
  /// @param directory that is not there yet; it is there as a whole on return, and only then
  /// @throws DiskFullException if it has no room; nothing is written then
  /// @throws SavepointRefusedException if there is none, or it cannot be had
  /// @throws CorruptStreamException if the pointer is damaged
  public SavepointManifest fetch(Path directory)
      throws IOException, SavepointRefusedException, CorruptStreamException {
    if (Files.exists(directory)) {
      throw new DirectoryNotEmptyException(directory.toString());
    }
    Path aside = directory.resolveSibling(directory.getFileName() + UNFINISHED);
    delete(aside);
    SavepointManifest fetched = fetchWhole(aside);
    Files.move(aside, directory, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel parent =
        FileChannel.open(directory.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
      parent.force(true);
    }
    return fetched;
  }

  /// What a failure leaves is deleted: it would take the room of others.
  private SavepointManifest fetchWhole(Path aside)
      throws IOException, SavepointRefusedException, CorruptStreamException {
    try (Disk disk = LocalDisk.open(aside)) {
      return fetch(disk);
    } catch (IOException
        | SavepointRefusedException
        | CorruptStreamException
        | RuntimeException
        | Error e) {
      try {
        delete(aside);
      } catch (IOException left) {
        e.addSuppressed(left);
      }
      throw e;
    }
  }

  static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path each : all.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  /// Fetches the newest savepoint into an empty directory, which is whole, and forced, on return.
  public SavepointManifest fetch(Disk disk)
      throws IOException, SavepointRefusedException, CorruptStreamException {
    try (Pinned pinned = fetchPinned(disk)) {
      return pinned.manifest();
    }
  }

  /// The same; nothing is erased that this savepoint has not, until the result is closed, or for a
  /// day.
  public Pinned fetchPinned(Disk disk)
      throws IOException, SavepointRefusedException, CorruptStreamException {
    for (int i = 0; i < PINS_MAX; i++) {
      PublishedSavepoint newest = newest();
      SavepointPointer.Pin pin = pointer.pin(newest.at(clock.millis()));
      SavepointManifest fetched = null;
      try {
        if (pointer.read().stream().anyMatch(newest::isSame)) {
          fetched = fetch(newest, disk);
          return new Pinned(fetched, pin);
        }
      } finally {
        if (fetched == null) {
          end(pin);
        }
      }
    }
    throw new IOException("savepoints are shipped faster than one can be pinned");
  }

  /// A savepoint that was fetched and is pinned.
  public record Pinned(SavepointManifest manifest, SavepointPointer.Pin pin)
      implements AutoCloseable {
    @Override
    public void close() {
      end(pin);
    }
  }

  private PublishedSavepoint newest()
      throws IOException, SavepointRefusedException, CorruptStreamException {
    List<PublishedSavepoint> all = pointer.read();
    if (all.isEmpty()) {
      throw new SavepointRefusedException(
          Reason.NONE, "no savepoint of shard " + shard.shard() + " was shipped");
    }
    return all.getFirst();
  }

  /// A pin that cannot be ended now goes with this process.
  private static void end(SavepointPointer.Pin pin) {
    try {
      pin.close();
    } catch (IOException e) {
      LOG.warn("a pinned savepoint stays pinned: {}", e.toString());
    }
  }

  private SavepointManifest fetch(PublishedSavepoint savepoint, Disk disk)
      throws IOException, SavepointRefusedException {
    SavepointManifest manifest = SavepointManifest.get(store, savepoint);
    check(manifest, savepoint);
    checkRoom(manifest, disk);
    NavigableSet<String> folders = new TreeSet<>();
    for (ShippedFile file : manifest.files()) {
      fetch(file, disk);
      for (String folder = DiskName.directoryOf(file.name());
          folders.add(folder) && !folder.isEmpty(); ) {
        folder = DiskName.directoryOf(folder);
      }
    }
    for (String folder : folders.descendingSet()) {
      disk.forceDirectory(folder);
    }
    return manifest;
  }

  private void checkRoom(SavepointManifest manifest, Disk disk) throws IOException {
    long freeBytes = disk.freeBytes();
    if (freeBytes - freeBytesMin < manifest.bytes()) {
      throw new DiskFullException(
          String.format(
              Locale.ROOT,
              "a savepoint of %d bytes has no room: %d are free, of which %d stay so",
              manifest.bytes(),
              freeBytes,
              freeBytesMin));
    }
  }

  private void check(SavepointManifest manifest, PublishedSavepoint savepoint)
      throws SavepointRefusedException {
    if (!manifest.shard().equals(shard) || !manifest.position().equals(savepoint.position())) {
      throw new SavepointRefusedException(
          Reason.FOREIGN,
          String.format(
              Locale.ROOT,
              "manifest is of shard %d up to frame %d, want shard %d up to frame %d",
              manifest.shard().shard(),
              manifest.position().number(),
              shard.shard(),
              savepoint.position().number()));
    }
    int format = manifest.software().stateFormat();
    if (format > software.stateFormat()) {
      throw new SavepointRefusedException(
          Reason.NEWER_FORMAT,
          String.format(
              Locale.ROOT,
              "savepoint by %s has state format %d, newer than what this software knows, %d",
              manifest.software().version(),
              format,
              software.stateFormat()));
    }
  }

  private void fetch(ShippedFile file, Disk disk) throws IOException, SavepointRefusedException {
    try (DiskFile to = disk.open(file.name())) {
      long at = 0;
      for (ShippedPiece piece : file.pieces()) {
        ByteBuffer bytes = get(file, piece);
        to.write(at, bytes);
        at += piece.bytes();
      }
      to.force();
    }
  }

  private ByteBuffer get(ShippedFile file, ShippedPiece piece)
      throws IOException, SavepointRefusedException {
    try {
      return store.get(piece);
    } catch (SavepointRefusedException e) {
      throw new SavepointRefusedException(
          e.reason(), "file " + file.name() + " cannot be had: " + e.getMessage(), e);
    }
  }
}
