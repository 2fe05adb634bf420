package io.tallystick.cli;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Goal: what is shipped is named, and each part may be shipped. Method: the bill of materials that
/// the build has written is compared with the jars on the class path of `tally` and with
/// `licences.txt`. Runs after `package`, in `mvn verify`.
@Tag("packaged")
class SbomTest {
  private static final Path BILL = Path.of("target", "sbom.json");
  private static final Path JARS = Path.of("target", "lib");
  private static final Path LIST = Path.of("..", "licences.txt");

  /// A jar, and the licences of which its user may choose one.
  private record Component(String jar, Set<String> licences) {
    static Component of(JsonNode component) {
      String purl = component.path("purl").asString();
      String classifier =
          Stream.of(purl.substring(purl.indexOf('?') + 1).split("&"))
              .filter(it -> it.startsWith("classifier="))
              .map(it -> "-" + URLDecoder.decode(it.substring(11), StandardCharsets.UTF_8))
              .findFirst()
              .orElse("");
      String jar =
          String.format(
              Locale.ROOT,
              "%s-%s%s.jar",
              component.path("name").asString(),
              component.path("version").asString(),
              classifier);
      Set<String> licences = new TreeSet<>();
      for (JsonNode choice : component.path("licenses")) {
        JsonNode licence = choice.path("license");
        Stream.of(choice.path("expression"), licence.path("id"), licence.path("name"))
            .filter(JsonNode::isString)
            .map(JsonNode::asString)
            .forEach(licences::add);
      }
      return new Component(jar, licences);
    }
  }

  @Test
  void eachComponentOffersALicenceOfTheList() throws IOException {
    Set<String> permitted = permitted();
    List<Component> refused =
        components().filter(it -> it.licences().stream().noneMatch(permitted::contains)).toList();
    assertThat(refused).as("components without a licence that %s permits", LIST).isEmpty();
  }

  @Test
  void eachLicenceOfTheListIsUsed() throws IOException {
    Set<String> unused = permitted();
    components().forEach(it -> unused.removeAll(it.licences()));
    assertThat(unused).as("licences in %s that no jar has", LIST).isEmpty();
  }

  @Test
  void theComponentsAreTheJarsThatAreShipped() throws IOException {
    Set<String> named = components().map(Component::jar).collect(toCollection(TreeSet::new));
    try (Stream<Path> jars = Files.list(JARS)) {
      assertThat(named)
          .hasSizeGreaterThan(100)
          .isEqualTo(
              jars.map(it -> it.getFileName().toString()).collect(toCollection(TreeSet::new)));
    }
  }

  private static Stream<Component> components() {
    JsonNode bill = JsonMapper.shared().readTree(BILL);
    return bill.path("components").valueStream().map(Component::of);
  }

  /// The part `[jars]`, without the reasons.
  private static Set<String> permitted() throws IOException {
    List<String> lines = Files.readAllLines(LIST);
    return lines.subList(lines.indexOf("[jars]") + 1, lines.indexOf("[image]")).stream()
        .map(it -> it.split("\t", 2)[0])
        .filter(it -> !it.isEmpty())
        .collect(toCollection(TreeSet::new));
  }
}
