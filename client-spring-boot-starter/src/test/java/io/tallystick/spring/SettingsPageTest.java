package io.tallystick.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.client.ClientConfig;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/// Goal: `docs/sdk.md` has every setting of the starter, no other, and its true default. Method:
/// the page's table is read, compared with what editors are told, and its defaults are set.
class SettingsPageTest {
  private static final String PREFIX = "tallystick.client.";
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| (`tallystick\\.client\\..*?) \\| (.*?) \\| .* \\|$");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern PROPERTY =
      Pattern.compile("\"name\": \"(tallystick\\.client\\.[^\"]+)\",\\s+\"type\": \"([^\"]+)\"");

  @TempDir private Path home;

  /// Name and default as the page has it; empty if that is told in words.
  private static Map<String, String> page() throws Exception {
    Map<String, String> settings = new TreeMap<>();
    for (MatchResult row :
        ROW.matcher(Files.readString(Path.of("../docs/sdk.md"))).results().toList()) {
      List<String> names = codes(row.group(1));
      List<String> defaults = codes(row.group(2));
      String first = names.getFirst();
      String group = first.substring(0, first.lastIndexOf('.'));
      for (int i = 0; i < names.size(); i++) {
        String name = i == 0 ? first : group + names.get(i);
        settings.put(name, i < defaults.size() ? defaults.get(i) : "");
      }
    }
    return settings;
  }

  private static List<String> codes(String cell) {
    return CODE.matcher(cell).results().map((MatchResult found) -> found.group(1)).toList();
  }

  @Test
  void hasEverySettingAndNoOther() throws Exception {
    TreeSet<String> told = new TreeSet<>();
    try (InputStream metadata =
        getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      String json =
          new String(Objects.requireNonNull(metadata).readAllBytes(), StandardCharsets.UTF_8);
      PROPERTY
          .matcher(json)
          .results()
          .filter(found -> !found.group(2).startsWith("io.tallystick."))
          .forEach(found -> told.add(found.group(1)));
    }
    assertThat(told).contains(PREFIX + "ledger", PREFIX + "key");
    assertThat(page().keySet()).containsExactlyElementsOf(told);
  }

  @Test
  void itsDefaultsAreTheDefaults() throws Exception {
    List<String> given = new ArrayList<>();
    page()
        .forEach((name, value) -> {
          if (!value.isEmpty()) {
            given.add(name + "=" + value);
          }
        });
    assertThat(given).hasSizeGreaterThan(5);
    run(given.toArray(String[]::new));
  }

  private void run(String... properties) {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(TallyClientAutoConfiguration.class))
        .withPropertyValues(PREFIX + "target=127.0.0.1:1", PREFIX + "trust-directory=" + home)
        .withPropertyValues(properties)
        .run(context ->
            assertThat(context.getBean(ClientConfig.class))
                .isEqualTo(ClientConfig.of("127.0.0.1:1", home)));
  }
}
