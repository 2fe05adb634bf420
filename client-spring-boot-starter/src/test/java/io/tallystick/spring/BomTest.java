package io.tallystick.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
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
    String pattern = String.format(Locale.ROOT, "<%s>(.*?)</%<s>", Pattern.quote(element));
    return Pattern.compile(pattern, Pattern.DOTALL)
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

  private static Set<String> installed() throws IOException {
    Set<String> installed = new TreeSet<>();
    try (Stream<Path> folders = Files.list(ROOT)) {
      for (Path folder : folders.filter(it -> Files.exists(it.resolve("pom.xml"))).toList()) {
        if (all(folder.resolve("pom.xml"), "tallystick.internal").contains("false")) {
          installed.add(String.valueOf(folder.getFileName()));
        }
      }
    }
    assertThat(installed).contains("client-sdk");
    return installed;
  }

  @Test
  void namesEveryModuleThatIsInstalled() throws Exception {
    assertThat(all(BOM, "artifactId")).containsAll(installed());
  }

  @Test
  void installingBuildsTheseModulesAndAllThatTheyNeed() throws Exception {
    List<String> client = listed("modules=(.*)");
    assertThat(client).startsWith(".").contains("bom", "client-testcontainers");
    assertHasWhatItNeeds(client);
    List<String> all = new ArrayList<>(client);
    all.addAll(listed(" *modules\\+=,(.*)"));
    assertThat(all).containsAll(installed());
    assertHasWhatItNeeds(all);
    assertThat(client).doesNotContain("storage", "ledger-server", "ledger-proxy", "ledger-testkit");
  }

  private static List<String> listed(String line) throws IOException {
    String script = Files.readString(ROOT.resolve("client-sdk/install"));
    Matcher modules = Pattern.compile("^" + line + "$", Pattern.MULTILINE).matcher(script);
    assertThat(modules.find()).isTrue();
    return List.of(modules.group(1).split(",", -1));
  }

  private static void assertHasWhatItNeeds(List<String> built) throws IOException {
    for (String module : built) {
      if (!module.equals(".") && !module.equals("bom")) {
        assertThat(built).as("needed by %s", module).containsAll(needs(module));
      }
    }
  }

  /// The modules of this project that one needs at run time.
  private static List<String> needs(String module) throws IOException {
    return all(ROOT.resolve(module).resolve("pom.xml"), "dependency").stream()
        .filter(it -> it.contains("<groupId>io.tallystick<"))
        .filter(it -> !it.contains("<scope>test<"))
        .map(it -> it.replaceAll("(?s).*<artifactId>(.*?)</artifactId>.*", "$1"))
        .toList();
  }
}
