package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.bench.gpu.trie.DeviceTrie;
import io.tallystick.bench.gpu.trie.DeviceTrieBatch;
import io.tallystick.bench.gpu.trie.TrieLimits;
import io.tallystick.bench.gpu.trie.TrieWay;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.testkit.Effort;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: the trie's sources are right in whichever order threads run, and this test would find it
/// if not. Method: the contract on the CPU; then each mistake that the sources can have planted,
/// which is found.
class ShimTrieTest extends DeviceTrieContract {
  private static Shim shim;

  private final List<ShimDevice> devices = new ArrayList<>();

  @BeforeAll
  static void compile() throws Exception {
    shim = Shim.compiled();
  }

  @AfterEach
  void closeDevices() {
    devices.forEach(ShimDevice::close);
  }

  @Override
  KernelDevice device(int seed) throws Exception {
    return device(shim, seed);
  }

  private KernelDevice device(Shim of, int seed) throws Exception {
    ShimDevice device = of.device(seed);
    devices.add(device);
    return device;
  }

  @Override
  int entries() {
    return 300;
  }

  @Override
  int seeds() {
    return Effort.of(1, 20);
  }

  /// Whatever call fails first, the trie says so, answers nothing wrong, and gives all its memory
  /// back.
  @Test
  void isOfNoUseOnceTheDeviceIsLost() throws Exception {
    SplittableRandom random = new SplittableRandom(12);
    TrieLimits limits = new TrieLimits(8, 8, 40);
    DeviceTrieBatch batch = new DeviceTrieBatch(limits);
    batch.put(bytes(random, 32), bytes(random, 40));
    KernelDevice device = device(12);
    boolean isLost = true;
    int calls = 0;
    for (; isLost; calls++) {
      FailingDevice failing = new FailingDevice(device, calls);
      isLost = isLost(failing, limits, batch);
      assertThat(failing.open()).as("memories after %d calls", calls).isZero();
    }
    assertThat(calls).isBetween(60, 100);
  }

  private static boolean isLost(KernelDevice device, TrieLimits limits, DeviceTrieBatch batch)
      throws DeviceFullException {
    try (DeviceTrie trie = DeviceTrie.open(device, limits)) {
      try {
        trie.apply(batch);
        return false;
      } catch (DeviceLostException _) {
        assertThatIllegalStateException().isThrownBy(() -> trie.apply(batch));
        assertThatIllegalStateException().isThrownBy(() -> trie.find(List.of(new byte[32])));
        return true;
      }
    } catch (DeviceLostException _) {
      return true;
    }
  }

  private void applyMistaken(String mistake, TrieWay way, int seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    TrieLimits limits = new TrieLimits(40, 40, 52);
    try (Pair pair = new Pair(device(shim.withMistake(mistake), seed), limits)) {
      for (int batch = 0; batch < 3; batch++) {
        for (int i = 0; i < 40; i++) {
          pair.put(Keys.CLUSTERED.key(random), bytes(random, 52));
        }
        pair.apply(way);
      }
    }
  }

  /// A branch that splits one nibble too late loses a key.
  @ParameterizedTest
  @EnumSource(TrieWay.class)
  void findsANibbleTooFar(TrieWay way) {
    assertThatThrownBy(() -> applyMistaken("WRONG_NIBBLE", way, 1)).isNotNull();
  }

  /// Two threads change one branch: what one of them put there is lost.
  @Test
  void findsAnUnlockedUpdate() {
    List<ThrowingCallable> runs = new ArrayList<>();
    for (int seed = 0; seed < 3; seed++) {
      int order = seed;
      runs.add(() -> applyMistaken("UNLOCKED_UPDATE", TrieWay.LOCK_NU, order));
    }
    assertThat(runs).allSatisfy(run -> assertThatThrownBy(run).isNotNull());
  }

  @Test
  void findsAMissingBarrierOfAWarp() {
    assertThatThrownBy(() -> applyMistaken("NO_WARP_BARRIER", TrieWay.LOCK_NU, 1))
        .hasMessageContaining("shared memory");
  }

  /// More slots are given away than the pool has.
  @Test
  void findsAMissingBound() {
    assertThatThrownBy(() -> applyMistaken("NO_BOUND", TrieWay.LOCK_NU, 1))
        .hasMessageContaining("heap-buffer-overflow");
  }
}
