package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Goal: what the alerts and the dashboard look at exists, and each alert has a page of one screen.
/// Method: the names in their expressions are looked up in what a running service shows; rules,
/// pages and the operator's page are compared.
class AlertsPageTest {
  private static final Path ROOT = Path.of("..");
  private static final Path RULES = ROOT.resolve("helm/tallystick/alerts/tallystick-alerts.yaml");
  private static final Path DASHBOARD = ROOT.resolve("helm/tallystick/dashboards/tallystick.json");
  private static final Path PAGES = ROOT.resolve("docs/operations/runbooks");
  private static final int PAGE_LINES_MAX = 35;

  /// Prometheus says it of whatever it scrapes.
  private static final String REACHED = "up";

  private static final Pattern NOT_NAMES =
      Pattern.compile("\"[^\"]*\"|\\{[^}]*}|\\[[^]]*]|\\b(?:by|on)\\s*\\([^)]*\\)");
  private static final Pattern NAME = Pattern.compile("\\b[a-z_][a-z0-9_]*\\b(?!\\s*\\()");
  private static final Set<String> WORDS = Set.of("or", "and", "unless", REACHED);
  private static final Pattern VALUES =
      Pattern.compile("\\b(code|reason|level|area)(?:=~|!=|=)\"([a-z_|]+)\"");

  @TempDir private Path data;

  private record Alert(String name, String expression, String severity, Path page) {}

  private static List<Alert> alerts() throws IOException {
    JsonNode file = JsonMapper.builder().build().valueToTree(new Yaml().load(read(RULES)));
    return file.at("/groups/0/rules")
        .valueStream()
        .map(rule ->
            new Alert(
                rule.get("alert").stringValue(),
                rule.get("expr").stringValue(),
                rule.at("/labels/severity").stringValue(),
                ROOT.resolve(rule.at("/annotations/runbook_url").stringValue())))
        .toList();
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file);
  }

  private static List<String> expressions() throws IOException {
    JsonNode dashboard = JsonMapper.builder().build().readTree(read(DASHBOARD));
    return Stream.concat(
            alerts().stream().map(Alert::expression),
            dashboard
                .get("panels")
                .valueStream()
                .flatMap(panel -> panel.path("targets").valueStream())
                .map(target -> target.get("expr").stringValue()))
        .toList();
  }

  @Test
  void everyMetricOfAlertsAndDashboardIsServed() throws Exception {
    Set<String> named = new TreeSet<>();
    Set<String> values = new TreeSet<>();
    for (String expression : expressions()) {
      NAME.matcher(NOT_NAMES.matcher(expression).replaceAll(" "))
          .results()
          .map(found -> found.group())
          .filter(name -> !WORDS.contains(name))
          .forEach(named::add);
      VALUES
          .matcher(expression)
          .results()
          .flatMap(found ->
              Stream.of(found.group(2).split("\\|"))
                  .map(value -> found.group(1) + "=\"" + value + "\""))
          .forEach(values::add);
    }
    try (RestService rest = new RestService(data)) {
      Signer owner = RestService.key(SignatureAlgorithm.ED25519);
      rest.found("watched", owner);
      String metrics = rest.get("/actuator/prometheus").text();
      Set<String> served =
          metrics
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(line -> line.split("[{ ]", 2)[0])
              .collect(Collectors.toSet());
      assertThat(named).hasSizeGreaterThan(30);
      assertThat(served).containsAll(named);
      assertThat(metrics).contains(values);
    }
  }

  @Test
  void eachAlertHasItsPageAndEachPageItsAlert() throws Exception {
    List<Alert> alerts = alerts();
    assertThat(alerts).hasSizeBetween(1, 13);
    for (Alert alert : alerts) {
      assertThat(Files.readAllLines(alert.page()))
          .as(alert.name())
          .startsWith("# " + alert.name())
          .containsSubsequence(
              "## What it means", "## What to look at", "## What to do", "## When it is over")
          .hasSizeLessThanOrEqualTo(PAGE_LINES_MAX);
    }
    try (Stream<Path> pages = Files.list(PAGES)) {
      assertThat(pages).containsExactlyInAnyOrderElementsOf(pagesOf(alerts));
    }
  }

  private static List<Path> pagesOf(List<Alert> alerts) {
    return alerts.stream().map(Alert::page).toList();
  }

  @Test
  void theOperatorsPageListsTheAlerts() throws Exception {
    Path docs = ROOT.resolve("docs");
    List<String> listed =
        read(docs.resolve("operations.md"))
            .lines()
            .filter(line -> line.startsWith("| [Tallystick"))
            .toList();
    assertThat(listed).hasSameSizeAs(alerts());
    for (Alert alert : alerts()) {
      Path link = docs.relativize(alert.page());
      assertThat(listed)
          .anyMatch(line ->
              line.startsWith(
                  String.format(
                      Locale.ROOT, "| [%s](%s) | %s |", alert.name(), link, alert.severity())));
    }
  }
}
