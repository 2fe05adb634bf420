package io.tallystick.server.host;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/// The disk and the rows of a shard as one archive: files below `disk/`, and `rows`, each a key and
/// a value behind their lengths.
record RecordedShard(InMemoryDisk disk, InMemoryMetaStore meta) {
  private static final String DISK = "disk/";
  private static final String ROWS = "rows";

  /// Lives on its own.
  RecordedShard copy() {
    return new RecordedShard(disk.copy(), meta.copy());
  }

  /// What a server has that has lost its indexes and rows: the stream, and the objects.
  RecordedShard withoutIndexes() throws IOException {
    InMemoryDisk kept = new InMemoryDisk();
    for (String name : disk.names()) {
      if (name.startsWith("stream/") || name.startsWith("objects/")) {
        write(kept, name, disk.content(name));
      }
    }
    return new RecordedShard(kept, new InMemoryMetaStore());
  }

  /// The indexes and rows of an earlier moment with the stream and the objects of this one.
  RecordedShard withIndexesOf(RecordedShard earlier) throws IOException {
    RecordedShard both = withoutIndexes();
    for (String name : earlier.disk.names()) {
      if (!name.startsWith("stream/") && !name.startsWith("objects/")) {
        write(both.disk, name, earlier.disk.content(name));
      }
    }
    return new RecordedShard(both.disk, earlier.meta.copy());
  }

  private static void write(InMemoryDisk disk, String name, byte[] content) throws IOException {
    try (DiskFile file = disk.open(name)) {
      file.write(0, ByteBuffer.wrap(content));
    }
  }

  void write(OutputStream to) throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(to)) {
      for (String name : disk.names()) {
        put(zip, DISK + name, disk.content(name));
      }
      ByteArrayOutputStream rows = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(rows);
      meta.scan(
          Bytes.EMPTY,
          null,
          (key, value) -> {
            for (Bytes each : new Bytes[] {key, value}) {
              out.writeInt(each.size());
              out.write(each.toArray());
            }
            return true;
          });
      put(zip, ROWS, rows.toByteArray());
    }
  }

  private static void put(ZipOutputStream zip, String name, byte[] content) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTime(0);
    zip.putNextEntry(entry);
    zip.write(content);
    zip.closeEntry();
  }

  static RecordedShard read(InputStream from) throws IOException {
    RecordedShard shard = new RecordedShard(new InMemoryDisk(), new InMemoryMetaStore());
    try (ZipInputStream zip = new ZipInputStream(from)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        byte[] content = zip.readAllBytes();
        if (entry.getName().equals(ROWS)) {
          shard.meta.write(rows(content));
        } else {
          write(shard.disk, entry.getName().substring(DISK.length()), content);
        }
      }
    }
    return shard;
  }

  private static MetaBatch rows(byte[] content) throws IOException {
    MetaBatch batch = new MetaBatch();
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
    while (in.available() > 0) {
      Bytes key = Bytes.wrap(in.readNBytes(in.readInt()));
      batch.put(key, Bytes.wrap(in.readNBytes(in.readInt())));
    }
    return batch;
  }
}
