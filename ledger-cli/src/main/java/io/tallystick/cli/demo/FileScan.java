package io.tallystick.cli.demo;

import io.tallystick.cli.terminal.Count;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/// Finds and hashes the regular files of a folder. Links are not followed; version control, build
/// output and folders that cannot be read are left out.
final class FileScan {
  static final int FILES_MAX = 100_000;
  private static final Set<String> LEFT_OUT =
      Set.of(".git", "target", "node_modules", ".venv", "data");
  private static final int BUFFER_BYTES = 1 << 16;

  private FileScan() {}

  /// The files that were found.
  ///
  /// @param files in order of their path
  /// @param more whether the folder has further files, which were left out
  record Found(List<NotarisedFile> files, boolean more) {
    Found {
      files = List.copyOf(files);
    }

    /// How many there are: `3 files`, or `the first 3 files`.
    String describe() {
      return (more ? "the first " : "") + Count.of(files.size(), "file");
    }
  }

  /// The files of a folder.
  ///
  /// @param filesMax it stops at so many
  static Found scan(Path root, int filesMax) throws IOException {
    Collector collector = new Collector(root, filesMax);
    Files.walkFileTree(root, collector);
    List<Path> found = collector.found;
    found.sort(Comparator.naturalOrder());
    List<NotarisedFile> files = new ArrayList<>(found.size());
    for (Path file : found) {
      files.add(hash(root, file));
    }
    return new Found(files, collector.more);
  }

  private static final class Collector extends SimpleFileVisitor<Path> {
    private final Path root;
    private final int filesMax;
    private final List<Path> found = new ArrayList<>();
    private boolean more;

    Collector(Path root, int filesMax) {
      this.root = root;
      this.filesMax = filesMax;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
      Path name = directory.getFileName();
      boolean leftOut =
          !directory.equals(root) && name != null && LEFT_OUT.contains(name.toString());
      return leftOut || !Files.isReadable(directory)
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (!attributes.isRegularFile() || !Files.isReadable(file)) {
        return FileVisitResult.CONTINUE;
      }
      if (found.size() == filesMax) {
        more = true;
        return FileVisitResult.TERMINATE;
      }
      found.add(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) {
      return FileVisitResult.CONTINUE;
    }
  }

  private static NotarisedFile hash(Path root, Path file) throws IOException {
    MessageDigest digest = Sha256.newDigest();
    long size = 0;
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = Files.newInputStream(file)) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        digest.update(buffer, 0, count);
        size += count;
      }
    }
    return new NotarisedFile(PathText.of(root, file), size, Digest.of(digest.digest()));
  }
}
