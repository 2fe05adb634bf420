package io.tallystick.server.shard;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaCheckpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// A file that a savepoint needs.
///
/// @param name in the shard's directory
public record SavedFile(String name, Body body) {
  /// Where its bytes come from.
  sealed interface Body {
    /// A file of the rows.
    record Rows(MetaCheckpoint rows, MetaCheckpoint.RowFile file) implements Body {}

    /// The first bytes of a file that may grow.
    record Growing(Disk disk, long bytes) implements Body {}

    /// A whole file that may be deleted meanwhile, because what is saved since does without.
    record Whole(Disk disk) implements Body {}
  }

  /// Takes the bytes of a file, in order.
  public interface Sink {
    /// @param bytes to be read here and now
    void piece(ByteBuffer bytes) throws IOException;
  }

  /// Reads it from its beginning to its end.
  ///
  /// @param buffer for one piece; each but the last fills it
  /// @return its length; -1 if it is not there any more, and is not needed
  /// @throws IOException also if it is shorter than it was: the savepoint cannot be had any more
  public long read(ByteBuffer buffer, Sink sink) throws IOException {
    return switch (body) {
      case Body.Rows(MetaCheckpoint rows, MetaCheckpoint.RowFile file) ->
          read(file.bytes(), buffer, sink, (at, into) -> rows.read(file.name(), at, into));
      case Body.Growing(Disk disk, long bytes) -> {
        try (DiskFile file = opened(disk)) {
          yield read(bytes, buffer, sink, file::read);
        }
      }
      case Body.Whole(Disk disk) -> {
        Optional<DiskFile> there = disk.openIfThere(name);
        if (there.isEmpty()) {
          yield -1;
        }
        try (DiskFile file = there.get()) {
          yield read(file.size(), buffer, sink, file::read);
        }
      }
    };
  }

  private DiskFile opened(Disk disk) throws IOException {
    return disk.openIfThere(name)
        .orElseThrow(() -> new IOException(name + " is gone, and the savepoint with it"));
  }

  private interface Source {
    void read(long position, ByteBuffer into) throws IOException;
  }

  private long read(long bytes, ByteBuffer buffer, Sink sink, Source source) throws IOException {
    for (long at = 0; at < bytes; at += buffer.limit()) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), bytes - at));
      source.read(at, buffer);
      if (buffer.hasRemaining()) {
        throw new IOException(
            name + " has become shorter than " + bytes + " bytes, and the savepoint is gone");
      }
      sink.piece(buffer.flip());
    }
    return bytes;
  }
}
