package io.tallystick.server.sim.cluster;

import io.tallystick.model.Bytes;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Savepoints that owners have shipped, and the pointer to the newest, which an owner moves only as
/// long as it is the owner.
final class SimSavepoints {
  private static final String ROOT = "/savepoints";

  private record Image(StreamPosition position, InMemoryDisk disk, InMemoryMetaStore meta) {}

  private final List<Image> images = new ArrayList<>();

  /// Makes the pointer's path.
  static void found(Coordination coordination) throws IOException {
    coordination.commit(
        List.of(
            new Change.Create(ROOT, Bytes.EMPTY, false),
            new Change.Create(ROOT + "/pointer", Bytes.EMPTY, false),
            new Change.Create(ROOT + "/read", Bytes.EMPTY, false)));
  }

  /// Ships the savepoint of a server at rest.
  ///
  /// @param owner the path whose version must be that of the server's claim
  /// @return the position that the pointer names now
  /// @throws IOException if the pointer may not have been moved
  StreamPosition ship(
      Coordination coordination, Change.Check owner, InMemoryDisk disk, InMemoryMetaStore meta)
      throws IOException, CorruptStreamException {
    StreamPosition position = SavepointRow.of(meta).position();
    images.add(new Image(position, disk.copy(), meta.copy()));
    Bytes pointer = Bytes.utf8(String.valueOf(images.size() - 1));
    coordination.commit(List.of(owner, new Change.Put(ROOT + "/pointer", pointer, Change.ANY)));
    return position;
  }

  /// Puts the newest in place of what a server has, if that holds a frame.
  boolean fetch(
      Coordination coordination, StreamPosition at, InMemoryDisk disk, InMemoryMetaStore meta)
      throws IOException {
    // What a client reads is not older than its own last write.
    coordination.commit(List.of(new Change.Put(ROOT + "/read", Bytes.EMPTY, Change.ANY)));
    Optional<Coordination.Versioned> pointer = coordination.read(ROOT + "/pointer");
    if (pointer.isEmpty() || pointer.get().value().size() == 0) {
      return false;
    }
    Image image =
        images.get(
            Integer.parseInt(new String(pointer.get().value().toArray(), StandardCharsets.UTF_8)));
    if (image.position.number() <= at.number()) {
      return false;
    }
    replace(disk, image.disk);
    replace(meta, image.meta);
    return true;
  }

  static void replace(InMemoryDisk disk, InMemoryDisk with) throws IOException {
    disk.names().forEach(disk::delete);
    for (String name : with.names()) {
      try (DiskFile file = disk.open(name)) {
        file.write(0, ByteBuffer.wrap(with.content(name)));
      }
    }
  }

  static void replace(InMemoryMetaStore meta, InMemoryMetaStore with) throws IOException {
    MetaBatch batch = new MetaBatch();
    meta.scan(
        Bytes.EMPTY,
        null,
        (key, _) -> {
          batch.delete(key);
          return true;
        });
    meta.write(batch);
    MetaBatch rows = new MetaBatch();
    with.scan(
        Bytes.EMPTY,
        null,
        (key, value) -> {
          rows.put(key, value);
          return true;
        });
    meta.write(rows);
  }
}
