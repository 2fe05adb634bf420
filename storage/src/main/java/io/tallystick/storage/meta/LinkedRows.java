package io.tallystick.storage.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.Checkpoint;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/// The checkpoint of a {@link RocksMetaStore}: a folder beside its own with links to RocksDB's
/// files, which that deletes but never changes. A store has one at a time.
final class LinkedRows implements MetaCheckpoint {
  private static final String SUFFIX = ".checkpoint";

  private final Path folder;
  private final List<RowFile> files;

  private LinkedRows(Path folder, List<RowFile> files) {
    this.folder = folder;
    this.files = List.copyOf(files);
  }

  private static Path beside(Path store) {
    return store.resolveSibling(store.getFileName() + SUFFIX);
  }

  /// Deletes what a process left that died.
  static void forget(Path store) throws IOException {
    delete(beside(store));
  }

  /// @param store folder of the database
  static LinkedRows of(RocksDB db, Path store) throws IOException, RocksDBException {
    Path folder = beside(store);
    delete(folder);
    try (Checkpoint checkpoint = Checkpoint.create(db)) {
      checkpoint.createCheckpoint(folder.toString());
    }
    List<RowFile> files = new ArrayList<>();
    try (Stream<Path> all = Files.list(folder)) {
      for (Path file : all.sorted().toList()) {
        files.add(new RowFile(file.getFileName().toString(), Files.size(file)));
      }
    }
    return new LinkedRows(folder, files);
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> all = Files.list(folder)) {
        for (Path file : all.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }

  @Override
  public List<RowFile> files() {
    return files;
  }

  @Override
  public void read(String name, long position, ByteBuffer into) throws IOException {
    try (FileChannel file = FileChannel.open(folder.resolve(name), StandardOpenOption.READ)) {
      int read = 0;
      for (long at = position; into.hasRemaining() && read >= 0; at += Math.max(read, 0)) {
        read = file.read(into, at);
      }
    }
  }

  @Override
  public void close() throws IOException {
    delete(folder);
  }
}
