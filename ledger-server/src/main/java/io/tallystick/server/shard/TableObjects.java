package io.tallystick.server.shard;

import io.tallystick.model.Bytes;
import io.tallystick.storage.object.KeptObject;
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
      public KeptObject finish() throws IOException {
        return rows.use(writer::finish);
      }

      @Override
      public void close() throws IOException {
        writer.close();
      }
    };
  }

  @Override
  public Optional<StoredObject> open(KeptObject object) throws IOException {
    return rows.use(() -> objects.open(object));
  }

  @Override
  public void delete(KeptObject object) throws IOException {
    var _ =
        rows.use(() -> {
          objects.delete(object);
          return true;
        });
  }

  @Override
  public boolean isShared() {
    return objects.isShared();
  }

  @Override
  public List<Held> list() throws IOException {
    return rows.use(objects::list);
  }

  @Override
  public Bytes idOf(KeptObject object) throws IOException {
    return objects.idOf(object);
  }

  @Override
  public void delete(Held held) throws IOException {
    var _ =
        rows.use(() -> {
          objects.delete(held);
          return true;
        });
  }
}
