package io.tallystick.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Goal: `docs/configuration.md` says what the configuration records say. Method: the page is made
/// of the metadata that the compiler takes from them, and compared; run with
/// `-Dtallystick.write-docs=true` to write it.
class ConfigurationPageTest {
  private static final Path PAGE = Path.of("..", "docs", "configuration.md");
  private static final String METADATA = "/META-INF/spring-configuration-metadata.json";

  @Test
  void thePageIsMadeOfTheRecords() throws IOException {
    String page = page();
    if (Boolean.getBoolean("tallystick.write-docs")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE).usingCharset(StandardCharsets.UTF_8).hasContent(page);
    assertThat(page).contains("`tallystick.data-dir`");
  }

  private static String page() throws IOException {
    StringBuilder page = new StringBuilder();
    page.append(
        """
        # Configuration of the service

        A setting of `tally up` comes from its option (`tally up --help` has one for each), else from the variable,
        its name in upper case without hyphens, with `_` for each dot (`TALLYSTICK_TLS_PRIVATEKEY`), else from the
        file that `--settings FILE` or `TALLY_SETTINGS` names, else it is the default. The file is one of Java
        properties in UTF-8, at most 1 MiB: lines such as `tallystick.port=4510`, with the names of this page and no
        others, each once; `\\` begins an escape. Relative paths begin at the working directory.

        The table is made of `ServiceProperties` and the records in it; a test compares.

        | setting | default | meaning |
        |---|---|---|
        """);
    for (JsonNode setting : settings()) {
      String name = setting.get("name").stringValue();
      String description = setting.path("description").asString("").replaceAll("\\s+", " ");
      assertThat(description).as(name).isNotBlank();
      page.append(
          String.format(
              Locale.ROOT,
              "| `%s` | %s | %s |%n",
              name,
              standard(setting),
              meaning(name, description, standard(setting).replace("`", ""))));
    }
    return page.toString();
  }

  private static List<JsonNode> settings() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(ConfigurationPageTest.class.getResourceAsStream(METADATA))) {
      return JsonMapper.builder()
          .build()
          .readTree(in)
          .get("properties")
          .valueStream()
          .filter(each -> each.get("name").stringValue().startsWith("tallystick."))
          .sorted(Comparator.comparing(each -> each.get("name").stringValue()))
          .toList();
    }
  }

  private static String standard(JsonNode setting) {
    JsonNode value = setting.path("defaultValue");
    return value.isMissingNode() ? "none" : "`" + value.asString() + "`";
  }

  /// The records' comments begin with the setting's own name, and most end with the default, which
  /// has a column.
  private static String meaning(String name, String description, String standard) {
    String own = "`" + name + "`: ";
    String text =
        (description.startsWith(own) ? description.substring(own.length()) : description)
            .replaceFirst("\\. Default `?" + Pattern.quote(standard) + "`?$", "");
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }
}
