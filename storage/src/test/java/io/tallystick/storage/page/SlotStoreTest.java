package io.tallystick.storage.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: slots of any sizes hold what was written, for as long as a version that has them is kept
/// or pinned. Method: random savepoints against a map of what each version has; the store is opened
/// again now and then.
final class SlotStoreTest {
  private static final String NAME = "some";
  private static final SlotLimits LIMITS = new SlotLimits(3, 0);

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final SplittableRandom random = new SplittableRandom(7);

  static List<SlotSizes> sizes() {
    return List.of(SlotSizes.TRIES, SlotSizes.STATE);
  }

  private SlotStore open(SlotSizes sizes) throws Exception {
    return SlotStore.restore(disk, meta, NAME, sizes, LIMITS);
  }

  private void savepoint(SlotStore store) throws Exception {
    MetaBatch batch = new MetaBatch();
    store.savepoint(batch, meta);
    meta.write(batch);
  }

  /// Fills a slot for a random count of bytes.
  private void add(SlotStore store, Map<Long, byte[]> slots) throws Exception {
    byte[] content = new byte[1 + random.nextInt(store.sizes().bytesMax())];
    random.nextBytes(content);
    long address = store.next(content.length);
    store.write(address, content, content.length);
    assertThat(slots.put(address, content)).as("a slot in use is not given out").isNull();
  }

  private static void assertHolds(SlotStore store, Map<Long, byte[]> slots) throws Exception {
    byte[] read = new byte[store.sizes().bytesMax()];
    for (Map.Entry<Long, byte[]> slot : slots.entrySet()) {
      int count = store.read(slot.getKey(), read);
      assertThat(count).isEqualTo(store.sizes().bytesAt(slot.getKey()));
      byte[] want = new byte[count];
      System.arraycopy(slot.getValue(), 0, want, 0, slot.getValue().length);
      byte[] got = new byte[count];
      System.arraycopy(read, 0, got, 0, count);
      assertThat(got).isEqualTo(want);
    }
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void holdsWhatTheNewestVersionAndAPinnedOneHave(SlotSizes sizes) throws Exception {
    SlotStore store = open(sizes);
    Map<Long, byte[]> slots = new HashMap<>();
    for (int round = 0; round < 12; round++) {
      for (int i = 0; i < 40; i++) {
        add(store, slots);
      }
      savepoint(store);
      Map<Long, byte[]> pinned = Map.copyOf(slots);
      long version = store.version();
      assertThat(store.pin(version)).isTrue();
      for (int i = 0; i < 5; i++) {
        replaceSome(store, slots);
        savepoint(store);
        assertHolds(store, slots);
        assertHolds(store, pinned);
      }
      store.unpin(version);
      for (int i = 0; i < 2; i++) {
        replaceSome(store, slots);
        savepoint(store);
      }
      assertThat(store.pin(version)).as("given up once nobody reads it").isFalse();
      if (round % 3 == 2) {
        store.close();
        store = open(sizes);
        assertHolds(store, slots);
      }
    }
    assertThat(store.fileBytes()).as("slots are used again").isLessThan(3 * store.liveBytes());
    store.close();
  }

  private void replaceSome(SlotStore store, Map<Long, byte[]> slots) throws Exception {
    for (long address : new ArrayList<>(slots.keySet())) {
      if (random.nextInt(4) == 0) {
        slots.remove(address);
        store.free(address);
        if (random.nextInt(8) > 0) {
          add(store, slots);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void takesTheSmallestSizeThatHoldsTheBytes(SlotSizes sizes) throws Exception {
    try (SlotStore store = open(sizes)) {
      int least = 0;
      for (int code = 0; code < sizes.count(); code++) {
        assertThat(store.next(least + 1)).as("first of size %d", code).isEqualTo(code);
        least = sizes.bytes(code);
        assertThat(store.next(least)).as("second of size %d", code).isEqualTo(4 + code);
      }
      int tooMany = least + 1;
      assertThatThrownBy(() -> store.next(tooMany))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at most " + sizes.bytesMax());
    }
  }

  @Test
  void namesTheFileThatItsRowsWantLonger() throws Exception {
    try (SlotStore store = open(SlotSizes.STATE)) {
      store.write(store.next(3000), new byte[3000], 3000);
      savepoint(store);
    }
    assertThat(disk.names()).containsExactly("some/3072.slots");
    disk.open("some/3072.slots").truncate(3071);
    assertThatThrownBy(() -> open(SlotSizes.STATE))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("some/3072.slots at 3071");
  }
}
