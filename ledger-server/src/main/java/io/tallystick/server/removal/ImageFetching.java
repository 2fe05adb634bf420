package io.tallystick.server.removal;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.server.state.LocalImages;
import io.tallystick.server.state.StateImages;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.StoredObject;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The images that rows name and of which this server has no file, or one that may hold other
/// values. No shard waits for them: one that cannot be fetched is told and tried again, after
/// pauses that grow. Part of one opening of a shard. Thread-safe; one thread fetches at a time.
public final class ImageFetching {
  private static final Logger LOG = LoggerFactory.getLogger(ImageFetching.class);
  private static final int PIECE_BYTES = 1 << 20;
  private static final Duration PAUSE_MIN = Duration.ofSeconds(1);
  private static final Duration PAUSE_MAX = Duration.ofMinutes(10);

  private final ObjectStore objects;
  private final Disk disk;
  private final LocalImages local;
  private final Predicate<Wanted> named;

  /// By file.
  private final Map<String, Wanted> wanted = new ConcurrentHashMap<>();

  private Duration pause = PAUSE_MIN;
  private long pausedNanos = System.nanoTime() - PAUSE_MIN.toNanos();
  private boolean isPaused;

  /// What a row names.
  record Wanted(StrandId strand, long height, ImageRows.Image image) {
    String file() {
      return StateImages.file(strand, height, image.suffix());
    }

    KeptObject object() {
      return image.object();
    }

    /// Other files are never changed in their place.
    boolean holdsValues() {
      return image.suffix().equals(StateImages.VALUES);
    }
  }

  /// @param named whether a row names it still
  ImageFetching(ObjectStore objects, Disk disk, LocalImages local, Predicate<Wanted> named) {
    this.objects = objects;
    this.disk = disk;
    this.local = local;
    this.named = named;
  }

  /// From now on these are fetched.
  void want(List<Wanted> all) throws IOException {
    Set<String> missing = new HashSet<>();
    wanted.clear();
    for (Wanted each : all) {
      boolean there = isThere(each);
      if (!there) {
        missing.add(each.file());
      }
      if (!there || (each.holdsValues() && !local.isKnown(each.file(), each.object().name()))) {
        wanted.put(each.file(), each);
      }
    }
    local.areMissing(missing);
  }

  /// Deletes all files but these. Nobody makes any meanwhile.
  void deleteOthers(List<Wanted> all) throws IOException {
    StateImages.deleteAllBut(disk, all.stream().map(Wanted::file).collect(Collectors.toSet()));
  }

  private boolean isThere(Wanted image) throws IOException {
    Optional<DiskFile> there = disk.openIfThere(image.file());
    if (there.isEmpty()) {
      return false;
    }
    try (DiskFile opened = there.get()) {
      return opened.size() == image.object().bytes();
    }
  }

  /// Whether the files of a strand are those that rows name.
  boolean isWhole(StrandId strand) {
    return wanted.values().stream()
        .noneMatch(each -> each.strand().equals(strand) && named.test(each));
  }

  /// The same for those of some heights.
  boolean isWhole(StrandId strand, Set<Long> heights) {
    return wanted.values().stream()
        .filter(each -> heights.contains(each.height()))
        .noneMatch(each -> each.strand().equals(strand) && named.test(each));
  }

  /// Fetches what is missing, and looks what is in the other files. Readers are refused what is
  /// missing until then.
  public void fetch() {
    fetch(() -> false);
  }

  /// The same.
  ///
  /// @param ends asked between two pieces: whether to leave the rest to a later call
  public synchronized void fetch(BooleanSupplier ends) {
    if (isPaused && System.nanoTime() - pausedNanos < pause.toNanos()) {
      return;
    }
    boolean failed = false;
    for (Wanted each : List.copyOf(wanted.values())) {
      try {
        bring(each, ends);
      } catch (EndedException _) {
        return;
      } catch (CorruptStreamException e) {
        failed = true;
        LOG.error("image {} is left out, and asked for again: {}", each.file(), e.toString());
      } catch (IOException e) {
        LOG.warn("image {} cannot be fetched now: {}", each.file(), e.toString());
        pause();
        return;
      }
    }
    if (failed) {
      pause();
    } else {
      isPaused = false;
    }
  }

  private void pause() {
    Duration longer = isPaused ? pause.multipliedBy(2) : PAUSE_MIN;
    pause = longer.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : longer;
    pausedNanos = System.nanoTime();
    isPaused = true;
  }

  /// A fetch that somebody wants to end.
  private static final class EndedException extends IOException {
    private static final long serialVersionUID = 1;
  }

  private static void check(BooleanSupplier ends) throws EndedException {
    if (ends.getAsBoolean()) {
      throw new EndedException();
    }
  }

  private void bring(Wanted image, BooleanSupplier ends)
      throws IOException, CorruptStreamException {
    check(ends);
    if (named.test(image) && !isRight(image, ends)) {
      fetch(image.file(), image.object(), ends);
    }
    local.isMissingNoMore(image.file());
    wanted.remove(image.file(), image);
  }

  private boolean isRight(Wanted image, BooleanSupplier ends) throws IOException {
    Optional<DiskFile> there = disk.openIfThere(image.file());
    if (there.isEmpty()) {
      return false;
    }
    try (DiskFile opened = there.get()) {
      if (opened.size() != image.object().bytes()) {
        return false;
      }
      if (image.holdsValues()) {
        local.has(image.file(), nameOf(opened, ends));
        return local.isKnown(image.file(), image.object().name());
      }
      return true;
    }
  }

  private static Digest nameOf(DiskFile file, BooleanSupplier ends) throws IOException {
    MessageDigest sha256 = Sha256.newDigest();
    ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
    long at = 0;
    for (int count = file.read(0, piece); count > 0; count = file.read(at, piece)) {
      check(ends);
      at += count;
      sha256.update(piece.flip());
      piece.clear();
    }
    return Digest.of(sha256.digest());
  }

  private void fetch(String file, KeptObject object, BooleanSupplier ends)
      throws IOException, CorruptStreamException {
    Optional<StoredObject> found = objects.open(object);
    if (found.isEmpty()) {
      LOG.info("image {} is erased", file); // its row goes, too
      return;
    }
    String unfinished = file + StateImages.NEW;
    disk.delete(unfinished);
    try (StoredObject stored = found.get();
        DiskFile to = disk.open(unfinished)) {
      long[] at = {0};
      stored.copyTo(bytes -> {
        check(ends);
        int count = bytes.remaining();
        to.write(at[0], bytes);
        at[0] += count;
      });
      to.force();
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      disk.delete(unfinished);
      throw e;
    }
    StateImages.publish(disk, file);
    local.has(file, object.name());
  }
}
