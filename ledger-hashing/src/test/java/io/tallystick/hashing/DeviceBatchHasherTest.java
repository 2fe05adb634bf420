package io.tallystick.hashing;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Digest;
import io.tallystick.testkit.hashing.BatchHasherContract;
import io.tallystick.testkit.hashing.FakeDevice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// A hasher with a device answers as the CPU does, whether the device works, was lost, or is lost
/// in the middle of a call.
class DeviceBatchHasherTest {
  private static final int WORTHWHILE = 3;

  @Nested
  class WithADevice extends BatchHasherContract {
    @Override
    protected BatchHasher hasher() {
      return new DeviceBatchHasher(new FakeDevice(WORTHWHILE, Integer.MAX_VALUE), _ -> {});
    }
  }

  @Nested
  class WithALostDevice extends BatchHasherContract {
    @Override
    protected BatchHasher hasher() {
      return new DeviceBatchHasher(new FakeDevice(WORTHWHILE, 0), _ -> {});
    }
  }

  @Test
  void tellsOnceThatTheDeviceWasLostAndDoesNotCallItAgain() {
    FakeDevice device = new FakeDevice(WORTHWHILE, 2);
    List<DeviceLostException> lost = new ArrayList<>();
    DeviceBatchHasher hasher = new DeviceBatchHasher(device, lost::add);
    byte[] children = new byte[8 * Digest.BYTES];
    byte[] want = new byte[4 * Digest.BYTES];
    BatchHasher.cpu().parents(children, 0, 4, want, 0);
    assertThat(hasher.support()).isEqualTo(new Support.Available("fake"));
    for (int call = 0; call < 5; call++) {
      byte[] level = children.clone();
      hasher.parents(level, 0, 4, level, 0);
      assertThat(level).startsWith(want);
    }
    assertThat(lost).hasSize(1);
    assertThat(device.calls()).isEqualTo(3);
    assertThat(hasher.support()).isEqualTo(new Support.Unsupported("fake was lost: after 2 calls"));
    assertThat(hasher.callMessages()).isEqualTo(BatchHasher.cpu().callMessages());
  }

  @Test
  void lendsTheMemoryOfTheDeviceAndGivesItBack() {
    FakeDevice device = new FakeDevice(WORTHWHILE, Integer.MAX_VALUE);
    DeviceBatchHasher hasher = new DeviceBatchHasher(device, _ -> {});
    byte[] message = new byte[1000];
    try (HashBuffer buffer = hasher.buffer(1)) {
      assertThat(device.lent()).isPositive();
      for (int i = 0; i < 40; i++) {
        buffer.put(message, 0, message.length);
        buffer.endMessage();
      }
      hasher.keccak256(buffer);
      assertThat(device.calls()).isEqualTo(1);
    }
    assertThat(device.lent()).isZero();
  }

  @Test
  void lendsHeapMemoryOnceTheDeviceIsLost() {
    FakeDevice device = new FakeDevice(WORTHWHILE, 0);
    DeviceBatchHasher hasher = new DeviceBatchHasher(device, _ -> {});
    byte[] level = new byte[8 * Digest.BYTES];
    hasher.parents(level, 0, 4, level, 0);
    try (HashBuffer buffer = hasher.buffer(1)) {
      buffer.endMessage();
      hasher.keccak256(buffer);
      assertThat(device.lent()).isZero();
    }
  }

  @Test
  void hashesEachKindOfCallOnTheDevice() {
    FakeDevice device = new FakeDevice(WORTHWHILE, Integer.MAX_VALUE);
    DeviceBatchHasher hasher = new DeviceBatchHasher(device, _ -> {});
    byte[] from = new byte[8 * Digest.BYTES];
    byte[] to = new byte[8 * Digest.BYTES];
    int[] offsets = {0, 1, 2, 3};
    hasher.sha256(from, 0, 5, 3, to, 0);
    hasher.sha256(from, offsets, 3, to, 0);
    hasher.leaves(from, offsets, 3, to, 0);
    hasher.keccak256(from, offsets, 3, to, 0);
    hasher.parents(from, 0, 3, to, 0);
    hasher.subtrees(from, 0, 8, 1, to, 0);
    assertThat(device.calls()).isEqualTo(6);
  }

  @Test
  void hashesSmallCallsOnTheCpu() {
    FakeDevice device = new FakeDevice(WORTHWHILE, Integer.MAX_VALUE);
    DeviceBatchHasher hasher = new DeviceBatchHasher(device, _ -> {});
    byte[] level = new byte[4 * Digest.BYTES];
    hasher.parents(level, 0, 2, level, 0);
    assertThat(device.calls()).isZero();
  }
}
