package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceBatchHasher;
import io.tallystick.hashing.HashBuffer;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the golden vectors' leaf hashes, tree and trie come out of a device. Method: the vectors
/// that are accepted, with the fake driver.
class CudaVectorsTest {
  private static final Path VECTORS = Path.of("../ledger-testkit/src/test/resources/vectors");
  private static final Pattern STRINGS = Pattern.compile("\"([0-9a-f]+)\"");

  @TempDir static Path natives;

  private static CudaHashDevice device;
  private static BatchHasher hasher;

  @BeforeAll
  static void open() throws Exception {
    FakeCuda.set("");
    device = CudaHashDevice.open(natives, FakeCuda.settings(), CudaDriver::new);
    hasher =
        new DeviceBatchHasher(
            device,
            lost -> {
              throw new AssertionError(lost);
            });
  }

  @AfterAll
  static void close() {
    device.close();
  }

  private static List<String> accepted(String topic) throws IOException {
    List<String> texts = new ArrayList<>();
    try (Stream<Path> files = Files.list(VECTORS.resolve(topic))) {
      for (Path file : files.sorted().toList()) {
        String text = Files.readString(file);
        if (text.contains("\"wantErr\": false")) {
          texts.add(text);
        }
      }
    }
    assertThat(texts).hasSizeGreaterThan(2);
    return texts;
  }

  private static String field(String text, String name, String pattern) {
    Matcher matcher = Pattern.compile("\"" + name + "\": " + pattern).matcher(text);
    assertThat(matcher.find()).as(name).isTrue();
    return matcher.group(1);
  }

  private static String hex(String text, String name) {
    return field(text, name, "\"([0-9a-f]+)\"");
  }

  private static List<String> list(String text, String name) {
    return STRINGS
        .matcher(field(text, name, "\\[([^]]*)]"))
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static List<String> digests(HashBuffer buffer) {
    byte[] digests = new byte[buffer.count() * Digest.BYTES];
    buffer.digests(digests, 0);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < digests.length; i += Digest.BYTES) {
      all.add(HexFormat.of().formatHex(digests, i, i + Digest.BYTES));
    }
    return all;
  }

  private static void put(HashBuffer buffer, String hex) {
    byte[] message = bytes(hex);
    buffer.put(message, 0, message.length).endMessage();
  }

  @Test
  void hashesLeaves() throws IOException {
    try (HashBuffer buffer = hasher.buffer(1)) {
      List<String> want = new ArrayList<>();
      for (String text : accepted("leaf")) {
        put(buffer, hex(text, "leaf"));
        want.add(hex(text, "leafHash"));
      }
      hasher.leaves(buffer);
      assertThat(digests(buffer)).isEqualTo(want);
    }
  }

  /// The first node's digest is the root, every other node's is in one before it.
  @Test
  void hashesTheNodesOfClueTries() throws IOException {
    for (String text : accepted("cluetrie")) {
      List<String> nodes = list(text, "nodes");
      if (nodes.isEmpty()) {
        continue;
      }
      try (HashBuffer buffer = hasher.buffer(1)) {
        nodes.forEach(node -> put(buffer, node));
        hasher.keccak256(buffer);
        List<String> digests = digests(buffer);
        assertThat(digests.getFirst()).isEqualTo(hex(text, "clueRoot"));
        for (int i = 1; i < digests.size(); i++) {
          assertThat(nodes.get(i - 1)).contains(digests.get(i));
        }
      }
    }
  }

  /// RFC 9162, section 2.1.3.2.
  @Test
  void hashesTheNodesOfTrees() throws IOException {
    for (String text : accepted("inclusion")) {
      long node = Long.parseLong(field(text, "index", "(\\d+)"));
      long last = Long.parseLong(field(text, "size", "(\\d+)")) - 1;
      byte[] hash = bytes(hex(text, "leafHash"));
      for (String sibling : list(text, "path")) {
        boolean isRight = node % 2 == 1 || node == last;
        byte[] pair = Arrays.copyOf(isRight ? bytes(sibling) : hash, 2 * Digest.BYTES);
        System.arraycopy(isRight ? hash : bytes(sibling), 0, pair, Digest.BYTES, Digest.BYTES);
        hasher.parents(pair, 0, 1, hash, 0);
        int levels = isRight ? Long.numberOfTrailingZeros(node) + 1 : 1;
        node >>= levels;
        last >>= levels;
      }
      assertThat(HexFormat.of().formatHex(hash)).isEqualTo(hex(text, "root"));
    }
  }
}
