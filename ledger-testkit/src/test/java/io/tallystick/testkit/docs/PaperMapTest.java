package io.tallystick.testkit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Every class that `docs/paper-map.md` names is in the sources of some module.
class PaperMapTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
  private static final Pattern CLASS = Pattern.compile("([a-z]+\\.)+[A-Z][A-Za-z0-9]*");

  @Test
  void everyClassNamedExists() throws IOException {
    assertThat(namedClasses()).hasSizeGreaterThan(30).allSatisfy(PaperMapTest::exists);
  }

  @Test
  void nothingButClassNamesIsQuoted() throws IOException {
    assertThat(quoted())
        .filteredOn(text -> !text.equals("io.tallystick"))
        .allSatisfy(text -> assertThat(text).matches(CLASS));
  }

  private static void exists(String name) throws IOException {
    String file = name.replace('.', '/') + ".java";
    try (Stream<Path> modules = Files.list(ROOT)) {
      assertThat(modules.map(module -> module.resolve("src/main/java/io/tallystick").resolve(file)))
          .as(name)
          .anyMatch(Files::isRegularFile);
    }
  }

  private static List<String> namedClasses() throws IOException {
    return quoted().stream().filter(CLASS.asMatchPredicate()).distinct().toList();
  }

  private static List<String> quoted() throws IOException {
    String page = Files.readString(ROOT.resolve("docs").resolve("paper-map.md"));
    return QUOTED.matcher(page).results().map((MatchResult match) -> match.group(1)).toList();
  }
}
