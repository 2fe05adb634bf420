package io.tallystick.server.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/// Goal: what a table of an earlier opening still has under way changes no object.
class TableObjectsTest {
  private final InMemoryDisk disk = new InMemoryDisk();

  private static KeptObject put(ObjectStore objects, int content) throws IOException {
    try (ObjectWriter writer = objects.create()) {
      writer.write(ByteBuffer.allocate(4).putInt(0, content));
      return writer.finish();
    }
  }

  private static ObjectStore.Held held(KeptObject object) {
    return new ObjectStore.Held(object.name().toBytes(), 0);
  }

  @Test
  void objectsEndWithTheRows() throws Exception {
    LocalObjects all = LocalObjects.open(disk);
    TableRows rows = new TableRows(new InMemoryMetaStore());
    ObjectStore objects = new TableObjects(all, rows);
    KeptObject kept = put(objects, 1);
    KeptObject other = put(objects, 2);
    objects.delete(other);
    assertThat(objects.list()).containsExactly(held(kept));
    try (ObjectWriter begun = objects.create()) {
      begun.write(ByteBuffer.allocate(9));
      rows.close();
      assertThatThrownBy(begun::finish).isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> objects.delete(kept)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> objects.open(kept)).isInstanceOf(IOException.class);
    assertThatThrownBy(objects::list).isInstanceOf(IOException.class);
    assertThatThrownBy(objects::create).isInstanceOf(IOException.class);
    assertThat(all.list()).containsExactly(held(kept));
    assertThat(disk.names()).hasSize(1);
  }
}
