package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the worked examples of the format pages are the bytes we make. Method: read each block
/// marked `hex NAME` of a page, drop what stands behind `#`, and compare with the example made
/// anew.
class FormatPagesTest {
  private static final Path FORMATS = Path.of("../docs/formats");
  private static final Pattern BLOCK =
      Pattern.compile("^```hex ([a-z-]+)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

  @ParameterizedTest
  @ValueSource(strings = {"cbor", "ledger", "request", "signature", "leaf"})
  void thePageShowsTheBytesWeMake(String page) throws Exception {
    Map<String, String> examples = FormatExamples.all().getOrDefault(page, Map.of());
    assertThat(blocks(page)).isEqualTo(examples).isNotEmpty();
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
