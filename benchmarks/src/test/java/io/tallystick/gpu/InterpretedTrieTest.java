package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.bench.gpu.trie.TrieLimits;
import io.tallystick.bench.gpu.trie.TrieWay;
import io.tallystick.gpu.ptx.PtxModule;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the committed PTX of the trie does what the sources say, and nothing that is undefined on
/// a device, and this test would find it if not. Method: the contract in the interpreter, which
/// also shows stores late; then fences and barriers are taken out of the PTX, and it is seen.
@Tag("interpreted")
class InterpretedTrieTest extends DeviceTrieContract {
  private static final PtxModule MODULE = PtxModule.parse(KernelImage.ptx());

  /// Orders of threads, some of which show stores late.
  private static final List<Integer> ORDERS = List.of(4, 5, 6, 7, 8);

  @Override
  KernelDevice device(int seed) {
    return new InterpretedDevice(MODULE, seed);
  }

  @Override
  int entries() {
    return 300;
  }

  @Override
  int seeds() {
    return 2;
  }

  @Test
  void hasTheRootOfALargeBatch() throws Exception {
    hasTheRoot(GO_ETHEREUM.get(2), TrieWay.PHASE_NU);
  }

  /// The PTX without some of a kernel's instructions.
  ///
  /// @param from the first of those that match, counted from 0
  private static PtxModule without(Kernel kernel, String instruction, int from, int to) {
    String ptx = KernelImage.ptx();
    int begin = ptx.indexOf(".entry " + kernel.entry() + "(");
    int end = ptx.indexOf("\n}\n", begin);
    Matcher matches = Pattern.compile(instruction).matcher(ptx.substring(begin, end));
    AtomicInteger number = new AtomicInteger();
    String body =
        matches.replaceAll(found -> {
          int here = number.getAndIncrement();
          return here >= from && here < to ? "" : Matcher.quoteReplacement(found.group());
        });
    return PtxModule.parse(ptx.substring(0, begin) + body + ptx.substring(end));
  }

  /// Whether two batches of keys that meet have the right root, and nothing was refused.
  private static boolean isRight(PtxModule module, TrieWay way, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TrieLimits limits = new TrieLimits(60, 30, 40);
    try (Pair pair = new Pair(new InterpretedDevice(module, seed), limits)) {
      for (int entries : new int[] {4, 30}) {
        for (int i = 0; i < entries; i++) {
          pair.put(Keys.CLUSTERED.key(random), bytes(random, 40));
        }
        pair.apply(way);
      }
      return true;
    } catch (Exception | AssertionError _) {
      return false;
    }
  }

  /// A node is seen before what is in it, or a count before the hash that it counts.
  @ParameterizedTest
  @CsvSource({
    "TRIE_EXPAND, PHASE_NU",
    "TRIE_INSERT, PHASE_NU",
    "TRIE_LOCK_INSERT, LOCK_NU",
    "TRIE_HASH, LOCK_NU"
  })
  void findsAMissingFence(Kernel kernel, TrieWay way) {
    PtxModule mistaken = without(kernel, "membar\\.gl;", 0, Integer.MAX_VALUE);
    assertThat(ORDERS).anyMatch(seed -> !isRight(mistaken, way, seed));
  }

  /// In a round of Keccak, after the state was written for the first time or the second.
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void findsAMissingBarrierOfAWarp(int barrier) {
    PtxModule mistaken =
        without(Kernel.TRIE_HASH, "bar\\.warp\\.sync\\s+-1;", barrier, barrier + 1);
    assertThat(isRight(mistaken, TrieWay.LOCK_NU, 2)).isFalse();
  }
}
