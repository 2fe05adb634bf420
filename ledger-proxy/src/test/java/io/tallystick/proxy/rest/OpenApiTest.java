package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;

/// Goal: the OpenAPI document has exactly the routes and query parameters there are. Method: the
/// controllers' mappings beside the document's paths.
class OpenApiTest {
  private static final List<Class<?>> CONTROLLERS =
      List.of(
          AnchorController.class,
          CertificateController.class,
          ClueController.class,
          JournalController.class,
          LedgerController.class,
          OpenApiController.class,
          PrepareController.class,
          ProposalController.class,
          RemovalController.class,
          StateController.class,
          TreeController.class,
          VerifyController.class);

  @Test
  void theDocumentHasExactlyTheRoutesThereAre() throws Exception {
    assertThat(documented().keySet()).isEqualTo(known().keySet()).isNotEmpty();
  }

  /// What a route does not know is refused, so a name that stands here alone would never be taken.
  @Test
  void theDocumentHasExactlyTheQueryParametersThereAre() throws Exception {
    assertThat(documented()).isEqualTo(known());
  }

  /// The names of query parameters by route, as the controllers have them.
  private static Map<String, Set<String>> known() {
    Map<String, Set<String>> routes = new TreeMap<>();
    for (Class<?> controller : CONTROLLERS) {
      for (Method method : controller.getDeclaredMethods()) {
        RequestMapping mapping =
            AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class);
        if (mapping != null) {
          for (RequestMethod verb : mapping.method()) {
            String path = mapping.path()[0].replaceAll(":[^{}]*}", "}");
            routes
                .computeIfAbsent(
                    verb.name().toLowerCase(Locale.ROOT) + " " + path, _ -> new TreeSet<>())
                .addAll(KnownQuery.of(method));
          }
        }
      }
    }
    return routes;
  }

  private Map<String, Set<String>> documented() throws Exception {
    Map<String, Set<String>> routes = new TreeMap<>();
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream(OpenApiController.RESOURCE))) {
      JsonNode document = RestService.MAPPER.valueToTree(new Yaml().load(in));
      for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
        for (Map.Entry<String, JsonNode> verb : path.getValue().properties()) {
          Set<String> names = new TreeSet<>();
          for (JsonNode each : verb.getValue().path("parameters")) {
            JsonNode parameter =
                each.has("$ref")
                    ? document.at(each.get("$ref").stringValue().substring("#".length()))
                    : each;
            if (parameter.get("in").stringValue().equals("query")) {
              names.add(parameter.get("name").stringValue());
            }
          }
          routes.put(verb.getKey() + " " + path.getKey(), names);
        }
      }
    }
    return routes;
  }
}
