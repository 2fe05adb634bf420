package io.tallystick.storage.meta;

import io.tallystick.storage.disk.OwnerOnly;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarEntry;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/// RocksDB's native library, of which its jar has one for each kind of machine. RocksDB itself
/// unpacks some 17 MB into the temporary folder at each start, where a process that is killed
/// leaves them, and where nothing may be executed on some machines.
final class RocksLibrary {
  /// In the jar.
  private static final String PACKED = Environment.getJniLibraryFileName("rocksdb");

  /// The file name that RocksDB looks for in a folder: another one than it unpacks, by an oversight
  /// of its own.
  private static final String NAME = Environment.getJniLibraryFileName("rocksdbjni");

  private static final String VERSION_PREFIX = "rocksdb-";

  private RocksLibrary() {}

  /// From the temporary folder, unless it is loaded.
  static void load() {
    RocksDB.loadLibrary();
  }

  /// From `folder`, into which it is unpacked at the first start with this version, unless it is
  /// loaded. If that cannot be, for example on a file system that executes nothing, from the
  /// temporary folder.
  static synchronized void load(Path folder) {
    try {
      Path unpacked = unpacked(folder);
      if (unpacked != null) {
        RocksDB.loadLibrary(List.of(unpacked.toString()));
      }
    } catch (IOException | UnsatisfiedLinkError _) {
      // From the temporary folder; where that fails, too, its failure is told.
    }
    load();
  }

  /// The folder with the library of this version, named by the sum of its bytes.
  ///
  /// @return null if the jar has none for this machine under the usual name
  private static @Nullable Path unpacked(Path folder) throws IOException {
    URL packed = RocksDB.class.getClassLoader().getResource(PACKED);
    if (packed == null || !(packed.openConnection() instanceof JarURLConnection connection)) {
      return null;
    }
    JarEntry entry = connection.getJarEntry();
    Path version =
        folder.resolve(String.format(Locale.ROOT, "%s%08x", VERSION_PREFIX, entry.getCrc()));
    Path library = version.resolve(NAME);
    if (!Files.exists(library) || Files.size(library) != entry.getSize()) {
      OwnerOnly.createDirectories(version);
      unpack(connection, library);
      forgetOthers(folder, version);
    }
    return version;
  }

  /// Written aside, forced and renamed: a library that is there is whole.
  private static void unpack(JarURLConnection packed, Path library) throws IOException {
    Path aside = Files.createTempFile(library.getParent(), NAME, ".new");
    try (InputStream in = packed.getInputStream()) {
      Files.copy(in, aside, StandardCopyOption.REPLACE_EXISTING);
      try (FileChannel written = FileChannel.open(aside, StandardOpenOption.WRITE)) {
        written.force(true);
      }
      Files.move(aside, library, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(aside);
    }
  }

  /// Deletes the libraries of other versions, and what an unpacking has left that was cut short.
  private static void forgetOthers(Path folder, Path kept) throws IOException {
    try (DirectoryStream<Path> versions = Files.newDirectoryStream(folder, VERSION_PREFIX + "*")) {
      for (Path version : versions) {
        forgetFiles(version, version.equals(kept) ? kept.resolve(NAME) : null);
        if (!version.equals(kept)) {
          Files.delete(version);
        }
      }
    }
  }

  private static void forgetFiles(Path version, @Nullable Path kept) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(version)) {
      for (Path file : files) {
        if (!file.equals(kept)) {
          Files.delete(file);
        }
      }
    }
  }
}
