package io.tallystick.server.saved;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the worked examples of the pages on what a shard stores are the bytes we write. Method:
/// read each block marked `hex NAME` of a page, drop what stands behind `#`, and compare with the
/// example made anew.
class ServerFormatPagesTest {
  private static final Path FORMATS = Path.of("../docs/formats");
  private static final Pattern BLOCK =
      Pattern.compile("^```hex ([a-z-]+)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

  @Test
  void showsTheCommitFrameWeWrite() throws Exception {
    assertThat(blocks("commit-frame")).isEqualTo(ServerFormatExamples.commitFrame());
  }

  @Test
  void showsTheBlockRowWeWrite() throws Exception {
    assertThat(blocks("block-row")).isEqualTo(ServerFormatExamples.blockRow());
  }

  @Test
  void showsTheRowsOfASavepoint(@TempDir Path keys) throws Exception {
    assertThat(blocks("savepoint")).isEqualTo(ServerFormatExamples.savepoint(keys));
  }

  private static Map<String, String> blocks(String page) throws IOException {
    Map<String, String> blocks = new LinkedHashMap<>();
    Matcher matcher = BLOCK.matcher(Files.readString(FORMATS.resolve(page + ".md")));
    while (matcher.find()) {
      String hex =
          matcher
              .group(2)
              .lines()
              .map(line -> line.replaceAll("#.*", "").replaceAll("\\s", ""))
              .collect(Collectors.joining());
      blocks.put(matcher.group(1), hex);
    }
    return blocks;
  }
}
