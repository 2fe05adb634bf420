package io.tallystick.storage.disk;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/// Two directories as one. Files of one kind, the cold ones, are made in a directory of their own,
/// on a larger and slower disk perhaps; those that are in the other directory already stay there.
/// Both have the same mark, so that no data directory is ever used without its cold one, or with
/// another's. Thread-safe.
public final class TieredDisk implements Disk {
  /// In both directories.
  public static final String MARK = "cold.id";

  private static final int MARK_BYTES = 32;

  private final Disk hot;
  private final Disk cold;
  private final String below;
  private final Predicate<String> isCold;

  private TieredDisk(Disk hot, Disk cold, String below, Predicate<String> isCold) {
    this.hot = hot;
    this.cold = cold;
    this.below = below;
    this.isCold = isCold;
  }

  /// @param hot has all other files; closed with this
  /// @param cold closed with this
  /// @param below the folder of all cold files
  /// @param isCold which files in it are cold
  /// @throws IOException if either was used with another one before
  public static TieredDisk open(
      Disk hot, Disk cold, String below, Predicate<String> isCold, RandomGenerator random)
      throws IOException {
    String known = mark(hot);
    String found = mark(cold);
    if (known.isEmpty() && !cold.list(below).isEmpty()) {
      throw new IOException("the cold directory has the files of another data directory");
    }
    if (!known.isEmpty() && !known.equals(found)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "the cold directory is not this data directory's: %s is %s, want %s",
              MARK,
              found.isEmpty() ? "missing" : found,
              known));
    }
    if (known.isEmpty()) {
      byte[] fresh = new byte[MARK_BYTES / 2];
      random.nextBytes(fresh);
      String mark = HexFormat.of().formatHex(fresh);
      write(cold, mark); // first: a data directory that has it has a cold one
      write(hot, mark);
    }
    return new TieredDisk(hot, cold, below, isCold);
  }

  /// Whether a data directory was used with a cold one: without it, it is not whole.
  public static boolean isHot(Disk disk) throws IOException {
    return disk.exists(MARK);
  }

  /// Empty if there is none, or it was not written whole.
  private static String mark(Disk disk) throws IOException {
    if (!disk.exists(MARK)) {
      return "";
    }
    try (DiskFile file = disk.open(MARK)) {
      ByteBuffer bytes = ByteBuffer.allocate(MARK_BYTES);
      int count = file.read(0, bytes);
      String mark = new String(bytes.array(), StandardCharsets.US_ASCII);
      return count == MARK_BYTES && mark.chars().allMatch(HexFormat::isHexDigit) ? mark : "";
    }
  }

  private static void write(Disk disk, String mark) throws IOException {
    try (DiskFile file = disk.open(MARK)) {
      file.write(0, ByteBuffer.wrap(mark.getBytes(StandardCharsets.US_ASCII)));
      file.force();
    }
    disk.forceDirectory("");
  }

  /// Where a file is, or would be made.
  private Disk of(String name) throws IOException {
    return isInCold(name) ? cold : hot;
  }

  private boolean isInCold(String name) throws IOException {
    return belongsInCold(name) && !hot.exists(name);
  }

  private boolean belongsInCold(String name) {
    return name.startsWith(below + "/") && isCold.test(name);
  }

  @Override
  public DiskFile open(String name) throws IOException {
    return of(name).open(name);
  }

  @Override
  public Optional<DiskFile> openIfThere(String name) throws IOException {
    return of(name).openIfThere(name);
  }

  @Override
  public boolean exists(String name) throws IOException {
    return hot.exists(name) || (isBelow(name) && cold.exists(name));
  }

  private boolean isBelow(String name) {
    return name.equals(below) || name.startsWith(below + "/");
  }

  @Override
  public List<String> list(String directory) throws IOException {
    if (!isBelow(directory)) {
      return hot.list(directory);
    }
    TreeSet<String> names = new TreeSet<>(hot.list(directory));
    names.addAll(cold.list(directory));
    return List.copyOf(names);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    if (isInCold(from) != belongsInCold(to)) {
      throw new FileNotFoundException(from + " cannot move to " + to + ", in another directory");
    }
    of(from).rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    of(name).delete(name);
  }

  @Override
  public void forceDirectory(String directory) throws IOException {
    hot.forceDirectory(directory);
    if (isBelow(directory)) {
      cold.forceDirectory(directory);
    }
  }

  /// The free bytes of the fuller one: a savepoint needs both.
  @Override
  public long freeBytes() throws IOException {
    return Math.min(hot.freeBytes(), cold.freeBytes());
  }

  @Override
  public void probe() throws IOException {
    hot.probe();
    cold.probe();
  }

  @Override
  public void close() throws IOException {
    try (hot;
        cold) {
      // Closed in the opposite order, each even if the other fails.
    }
  }
}
