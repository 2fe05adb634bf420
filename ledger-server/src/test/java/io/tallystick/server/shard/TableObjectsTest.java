package io.tallystick.server.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Digest;
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

  private static Digest put(ObjectStore objects, int content) throws IOException {
    try (ObjectWriter writer = objects.create()) {
      writer.write(ByteBuffer.allocate(4).putInt(0, content));
      return writer.finish();
    }
  }

  @Test
  void objectsEndWithTheRows() throws Exception {
    LocalObjects all = LocalObjects.open(disk);
    TableRows rows = new TableRows(new InMemoryMetaStore());
    ObjectStore objects = new TableObjects(all, rows);
    Digest kept = put(objects, 1);
    Digest other = put(objects, 2);
    objects.delete(other);
    assertThat(objects.list()).containsExactly(kept);
    try (ObjectWriter begun = objects.create()) {
      begun.write(ByteBuffer.allocate(9));
      rows.close();
      assertThatThrownBy(begun::finish).isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> objects.delete(kept)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> objects.open(kept)).isInstanceOf(IOException.class);
    assertThatThrownBy(objects::list).isInstanceOf(IOException.class);
    assertThatThrownBy(objects::create).isInstanceOf(IOException.class);
    assertThat(all.list()).containsExactly(kept);
    assertThat(disk.names()).hasSize(1);
  }
}
