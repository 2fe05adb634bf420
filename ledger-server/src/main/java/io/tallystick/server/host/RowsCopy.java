package io.tallystick.server.host;

import io.tallystick.storage.meta.MetaCheckpoint;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// A copy of a meta store, to be changed while that stays as it is. Closed, it is gone.
record RowsCopy(Path folder, MetaStore store) implements AutoCloseable {
  private static final int PIECE_BYTES = 1 << 20;

  /// @param folder of the copy; what is there goes
  static RowsCopy of(MetaStore from, Path folder) throws IOException {
    delete(folder);
    Files.createDirectories(folder);
    try (MetaCheckpoint rows = from.checkpoint()) {
      for (MetaCheckpoint.RowFile file : rows.files()) {
        copy(rows, file, folder.resolve(file.name()));
      }
    }
    return new RowsCopy(folder, RocksMetaStore.open(folder));
  }

  private static void copy(MetaCheckpoint rows, MetaCheckpoint.RowFile file, Path to)
      throws IOException {
    ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
    try (FileChannel out =
        FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long at = 0; at < file.bytes(); at += piece.limit()) {
        piece.clear().limit((int) Math.min(PIECE_BYTES, file.bytes() - at));
        rows.read(file.name(), at, piece);
        piece.flip();
        while (piece.hasRemaining()) {
          out.write(piece);
        }
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      List<Path> all;
      try (Stream<Path> below = Files.walk(folder)) {
        all = below.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path each : all) {
        Files.delete(each);
      }
    }
  }

  @Override
  public void close() throws IOException {
    store.close();
    delete(folder);
  }
}
