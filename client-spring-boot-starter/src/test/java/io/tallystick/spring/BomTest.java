package io.tallystick.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Goal: an application that imports the BOM gets what the client was tested with. Method: the BOM,
/// which cannot have the parent, is compared with it and with the modules that are installed.
class BomTest {
  private static final Path ROOT = Path.of("..");
  private static final Path BOM = ROOT.resolve("bom/pom.xml");

  private static String first(Path pom, String element) throws IOException {
    return all(pom, element).getFirst();
  }

  private static List<String> all(Path pom, String element) throws IOException {
    return Pattern.compile(String.format(Locale.ROOT, "<%s>(.*?)</%<s>", Pattern.quote(element)))
        .matcher(Files.readString(pom))
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }

  @Test
  void hasTheVersionsOfTheParent() throws Exception {
    Path parent = ROOT.resolve("pom.xml");
    for (String element : List.of("version", "grpc.version", "protobuf.version")) {
      assertThat(first(BOM, element)).as(element).isEqualTo(first(parent, element));
    }
  }

  @Test
  void namesEveryModuleThatIsInstalled() throws Exception {
    TreeSet<String> installed = new TreeSet<>();
    try (Stream<Path> folders = Files.list(ROOT)) {
      for (Path folder : folders.filter(it -> Files.exists(it.resolve("pom.xml"))).toList()) {
        if (all(folder.resolve("pom.xml"), "tallystick.internal").contains("false")) {
          installed.add(String.valueOf(folder.getFileName()));
        }
      }
    }
    assertThat(installed).contains("client-sdk");
    assertThat(all(BOM, "artifactId")).containsAll(installed);
  }
}
