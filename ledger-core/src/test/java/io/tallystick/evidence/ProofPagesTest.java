package io.tallystick.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.testkit.FormatExamples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Each worked example of a format page is what the code makes, byte for byte; hex may be wrapped.
class ProofPagesTest {
  private static final Set<String> KEEPING_LINES = Set.of("note", "cosigned", "cosigned-text");

  private static final Path PAGES = Path.of("..", "docs", "formats");
  private static final Pattern EXAMPLE =
      Pattern.compile("^```(?:hex|text) ([a-z-]+)\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

  @Test
  void merklePageShowsWhatTheCodeMakes() throws IOException {
    assertThat(examples("merkle.md")).isEqualTo(unwrapped(FormatExamples.merkle()));
  }

  @Test
  void checkpointPageShowsWhatTheCodeMakes() throws IOException {
    assertThat(examples("checkpoint.md")).isEqualTo(unwrapped(FormatExamples.checkpoint()));
  }

  @Test
  void receiptPageShowsWhatTheCodeMakes() throws IOException {
    assertThat(examples("receipt.md")).isEqualTo(unwrapped(FormatExamples.receipt()));
  }

  @Test
  void journalProofPageShowsWhatTheCodeMakes() throws IOException {
    assertThat(examples("journal-proof.md")).isEqualTo(unwrapped(FormatExamples.journalProof()));
  }

  @Test
  void trustPageShowsWhatTheCodeMakes() throws IOException {
    assertThat(examples("trust.md")).isEqualTo(unwrapped(FormatExamples.trust()));
  }

  @Test
  void clueTriePageShowsWhatTheCodeMakes() throws IOException {
    assertThat(examples("clue-trie.md")).isEqualTo(unwrapped(FormatExamples.clueTrie()));
  }

  @Test
  void lineagePageShowsWhatTheCodeMakes() throws IOException {
    assertThat(examples("lineage.md")).isEqualTo(unwrapped(FormatExamples.lineage()));
  }

  @Test
  void forestPageShowsWhatTheCodeMakes() throws IOException {
    assertThat(examples("forest.md")).isEqualTo(unwrapped(FormatExamples.forest()));
  }

  @Test
  void peopleAndTimePageShowsWhatTheCodeMakes() throws IOException {
    assertThat(examples("people-and-time.md")).isEqualTo(unwrapped(FormatExamples.peopleAndTime()));
  }

  @Test
  void removalPageShowsWhatTheCodeMakes() throws IOException {
    assertThat(examples("removal.md")).isEqualTo(unwrapped(FormatExamples.removal()));
  }

  private static Map<String, String> examples(String page) throws IOException {
    Map<String, String> examples = new LinkedHashMap<>();
    Matcher matcher = EXAMPLE.matcher(Files.readString(PAGES.resolve(page)));
    while (matcher.find()) {
      examples.put(matcher.group(1), matcher.group(2));
    }
    return unwrapped(examples);
  }

  /// A note keeps its lines; hex loses the line ends of the page.
  private static Map<String, String> unwrapped(Map<String, String> examples) {
    Map<String, String> result = new LinkedHashMap<>();
    examples.forEach((name, text) ->
        result.put(name, KEEPING_LINES.contains(name) ? text : text.replace("\n", "")));
    return result;
  }
}
