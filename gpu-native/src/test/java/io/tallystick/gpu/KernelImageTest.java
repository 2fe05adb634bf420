package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Goal: the committed PTX is what the committed sources compile to, as far as can be said without
/// the compiler. Method: compare digests, with those that `regen` wrote when it compiled.
class KernelImageTest {
  private static final Path SOURCES = Path.of("src/main/cuda");
  private static final Path RESOURCES = Path.of("src/main/resources/io/tallystick/gpu");
  private static final Path RECORD = RESOURCES.resolve("tallystick.ptx.sources");
  private static final String FLAGS = "flags ";

  @Test
  void isOfTheSourcesThatAreHere() throws Exception {
    Map<String, String> here = new TreeMap<>();
    try (Stream<Path> files = Files.list(SOURCES)) {
      for (Path file : files.filter(KernelImageTest::isSource).toList()) {
        here.put(file.getFileName().toString(), sha256(Files.readAllBytes(file)));
      }
    }
    here.put("tallystick.ptx", sha256(Files.readAllBytes(RESOURCES.resolve("tallystick.ptx"))));
    assertThat(here).as("run src/main/cuda/regen").isEqualTo(recorded());
  }

  @Test
  void isOfTheFlagsThatAreHere() throws IOException {
    String flags =
        Files.readAllLines(RECORD).stream()
            .filter(line -> line.startsWith(FLAGS))
            .findFirst()
            .get();
    assertThat(Files.readString(SOURCES.resolve("regen")))
        .as("run src/main/cuda/regen")
        .contains("flags='" + flags.substring(FLAGS.length()) + "'\n");
  }

  /// What is loaded on a device is what was compiled.
  @Test
  void isTheResource() throws Exception {
    assertThat(KernelImage.ptx())
        .isEqualTo(Files.readString(RESOURCES.resolve("tallystick.ptx")))
        .contains(".version 6.3\n.target sm_70\n");
  }

  @Test
  void hasTheKernels() {
    List<String> entries =
        Pattern.compile("\\.visible \\.entry (\\w+)\\(")
            .matcher(KernelImage.ptx())
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(entries)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Kernel.values()).map(Kernel::entry).toList());
  }

  /// All state is in registers: an array that the compiler could not keep there would be in local
  /// memory, which is the device's slowest.
  @Test
  void usesNoLocalMemory() {
    assertThat(KernelImage.ptx()).doesNotContain(".local").doesNotContain(".func");
  }

  private static boolean isSource(Path file) {
    return file.toString().endsWith(".cu") || file.toString().endsWith(".cuh");
  }

  private static Map<String, String> recorded() throws IOException {
    return Files.readAllLines(RECORD).stream()
        .filter(line -> !line.startsWith(FLAGS))
        .map(line -> line.split(" +", -1))
        .collect(Collectors.toMap(fields -> fields[1], fields -> fields[0]));
  }

  private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}
