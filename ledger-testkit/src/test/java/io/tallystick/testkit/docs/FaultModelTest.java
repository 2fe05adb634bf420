package io.tallystick.testkit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Every class that `docs/fault-model.md` names as showing something is in the sources of some
/// module.
class FaultModelTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern CLASS = Pattern.compile("`([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)`");

  @Test
  void everyClassNamedExists() throws IOException {
    String page = Files.readString(ROOT.resolve("docs").resolve("fault-model.md"));
    Set<String> named =
        CLASS
            .matcher(page)
            .results()
            .map((MatchResult match) -> match.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(named).hasSizeGreaterThan(20);
    assertThat(classes()).containsAll(named);
  }

  private static Set<String> classes() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path sources : modules.map(module -> module.resolve("src")).toList()) {
        if (Files.isDirectory(sources)) {
          try (Stream<Path> files = Files.walk(sources)) {
            files
                .map(file -> file.getFileName().toString())
                .filter(file -> file.endsWith(".java"))
                .forEach(file -> names.add(file.substring(0, file.length() - ".java".length())));
          }
        }
      }
    }
    return names;
  }
}
