package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.storage.object.StoredObject;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every store of objects does.
public abstract class ObjectStoreContract {
  private static final int LARGE_BYTES = 300_001;
  private static final Bytes SMALL = Bytes.utf8("a small object");

  private ObjectStore objects;

  protected ObjectStoreContract() {}

  /// A store, empty at the first call; later ones are of the same objects.
  protected abstract ObjectStore open() throws Exception;

  /// Changes a bit of an object.
  protected abstract void damage(KeptObject object) throws Exception;

  @BeforeEach
  void begin() throws Exception {
    objects = open();
  }

  private static Bytes large() {
    byte[] bytes = new byte[LARGE_BYTES];
    new Random(1).nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  public static KeptObject put(ObjectStore to, Bytes content) throws IOException {
    try (ObjectWriter writer = to.create()) {
      int half = content.size() / 2;
      writer.write(ByteBuffer.wrap(content.slice(0, half).toArray()));
      writer.write(ByteBuffer.wrap(content.slice(half, content.size() - half).toArray()));
      return writer.finish();
    }
  }

  public static Optional<Bytes> read(ObjectStore from, KeptObject object)
      throws IOException, CorruptStreamException {
    Optional<StoredObject> found = from.open(object);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    try (StoredObject stored = found.get()) {
      return Optional.of(stored.whole(1 << 20));
    }
  }

  private List<Bytes> ids() throws IOException {
    return objects.list().stream().map(ObjectStore.Held::id).toList();
  }

  @Test
  void whatWasPutIsReadUnderItsName() throws Exception {
    for (Bytes content : List.of(SMALL, large())) {
      KeptObject object = put(objects, content);
      assertThat(object.name()).isEqualTo(Digest.of(Sha256.newDigest().digest(content.toArray())));
      assertThat(object.bytes()).isEqualTo(content.size());
      assertThat(read(objects, object)).contains(content);
      assertThat(read(open(), object)).as("by another one").contains(content);
      assertThat(ids()).contains(objects.idOf(object));
      ByteArrayOutputStream copied = new ByteArrayOutputStream();
      try (StoredObject stored = objects.open(object).orElseThrow()) {
        stored.copyTo(bytes -> {
          while (bytes.hasRemaining()) {
            copied.write(bytes.get());
          }
        });
      }
      assertThat(copied.toByteArray()).isEqualTo(content.toArray());
    }
    assertThat(ids()).hasSize(2);
  }

  @Test
  void theSameMayBePutTwice() throws Exception {
    KeptObject first = put(objects, SMALL);
    KeptObject second = put(objects, SMALL);
    assertThat(second.name()).isEqualTo(first.name());
    assertThat(read(objects, first)).contains(SMALL);
    assertThat(read(objects, second)).contains(SMALL);
  }

  @Test
  void whatIsDeletedIsGone() throws Exception {
    KeptObject kept = put(objects, large());
    KeptObject gone = put(objects, SMALL);
    objects.delete(gone);
    objects.delete(gone);
    assertThat(read(objects, gone)).isEmpty();
    assertThat(read(open(), gone)).isEmpty();
    assertThat(ids()).containsExactly(objects.idOf(kept));
    objects.delete(objects.list().getFirst());
    assertThat(read(objects, kept)).isEmpty();
    assertThat(ids()).isEmpty();
    assertThat(read(objects, put(objects, SMALL))).as("put again").contains(SMALL);
  }

  @Test
  void whatIsNotFinishedIsNone() throws Exception {
    try (ObjectWriter writer = objects.create()) {
      writer.write(ByteBuffer.wrap(large().toArray()));
    }
    KeptObject other = put(objects, SMALL);
    assertThat(read(objects, other)).contains(SMALL);
    assertThat(ids()).contains(objects.idOf(other));
  }

  @Test
  void damageIsNoticed() throws Exception {
    KeptObject object = put(objects, large());
    try (StoredObject stored = objects.open(object).orElseThrow()) {
      assertThatThrownBy(() -> stored.whole(LARGE_BYTES - 1))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("want at most");
    }
    damage(object);
    assertThatThrownBy(() -> read(objects, object)).isInstanceOf(CorruptStreamException.class);
    KeptObject small = put(objects, SMALL);
    KeptObject other = new KeptObject(Digest.ZERO, small.bytes(), small.place());
    if (objects.isShared()) { // found by its place
      assertThatThrownBy(() -> read(objects, other)).isInstanceOf(CorruptStreamException.class);
    } else {
      assertThat(read(objects, other)).isEmpty();
    }
  }
}
