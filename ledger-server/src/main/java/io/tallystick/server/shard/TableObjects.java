package io.tallystick.server.shard;

import io.tallystick.model.Digest;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.storage.object.StoredObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/// The objects as the tables of one opening of a shard see them: they end with {@link TableRows its
/// rows}. So no table of this opening deletes what one of the next has made. Thread-safe.
record TableObjects(ObjectStore objects, TableRows rows) implements ObjectStore {
  @Override
  public ObjectWriter create() throws IOException {
    ObjectWriter writer = rows.use(objects::create);
    return new ObjectWriter() {
      @Override
      public void write(ByteBuffer bytes) throws IOException {
        writer.write(bytes);
      }

      @Override
      public Digest finish() throws IOException {
        return rows.use(writer::finish);
      }

      @Override
      public void close() throws IOException {
        writer.close();
      }
    };
  }

  @Override
  public Optional<StoredObject> open(Digest name) throws IOException {
    return rows.use(() -> objects.open(name));
  }

  @Override
  public void delete(Digest name) throws IOException {
    var _ =
        rows.use(() -> {
          objects.delete(name);
          return true;
        });
  }

  @Override
  public List<Digest> list() throws IOException {
    return rows.use(objects::list);
  }
}
