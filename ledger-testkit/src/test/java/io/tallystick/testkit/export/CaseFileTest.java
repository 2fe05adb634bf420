package io.tallystick.testkit.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the files hold what `conformance/README.md` says. Method: small files, read back as text;
/// that foreign verifiers accept the real ones is shown by `conformance/run`.
class CaseFileTest {
  @TempDir private Path folder;

  @Test
  void writesOneCaseALineAndCountsThemAtTheEnd() throws Exception {
    Path path = folder.resolve("cases.jsonl");
    try (CaseFile file = CaseFile.create(path)) {
      file.add(new CaseLine("a").number("size", 1L << 62).text("origin", "localhost/l/00/0"));
      file.add(
          new CaseLine("b")
              .hex("spki", Bytes.fromHex("00ff"))
              .base64("note", Bytes.utf8("hi"))
              .hexes("path", List.of(Digest.ZERO, Digest.ZERO))
              .hexes("none", List.of())
              .hexStrings("nodes", List.of(Bytes.EMPTY, Bytes.fromHex("c0"))));
      file.end();
    }
    String zero = "\"" + "00".repeat(32) + "\"";
    assertThat(Files.readAllLines(path))
        .containsExactly(
            "{\"kind\":\"a\",\"size\":4611686018427387904,\"origin\":\"localhost/l/00/0\"}",
            "{\"kind\":\"b\",\"spki\":\"00ff\",\"note\":\"aGk=\",\"path\":["
                + zero
                + ","
                + zero
                + "],\"none\":[],\"nodes\":[\"\",\"c0\"]}",
            "{\"kind\":\"end\",\"cases\":2}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\"b", "a\\b", "a\nb", "ä"})
  void refusesTextThatWouldNeedEscaping(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> new CaseLine("a").text("name", text));
  }

  @Test
  void writesTheSameCheckpointsEveryTime() throws Exception {
    for (String name : new String[] {"first", "second"}) {
      try (CaseFile file = CaseFile.create(folder.resolve(name))) {
        CheckpointCases.write(file);
        file.end();
      }
    }
    assertThat(folder.resolve("first")).hasSameBinaryContentAs(folder.resolve("second"));
    assertThat(Files.readAllLines(folder.resolve("first"))).hasSize(21);
  }

  @Test
  void writesClueTriesAndTreesThatOurOwnVerifierTakes() throws Exception {
    Path path = folder.resolve("clues");
    try (CaseFile file = CaseFile.create(path)) {
      ClueCases.writeTries(file);
      assertThat(file.cases()).isGreaterThan(400);
      ClueCases.writeTrees(file);
      file.end();
    }
    List<String> lines = Files.readAllLines(path);
    assertThat(lines).filteredOn(line -> line.contains("\"value\":\"\"")).hasSizeGreaterThan(200);
    assertThat(lines).filteredOn(line -> line.contains("clueTree")).hasSize(77);
  }
}
