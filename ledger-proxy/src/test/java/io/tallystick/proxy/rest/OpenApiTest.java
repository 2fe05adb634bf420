package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.yaml.snakeyaml.Yaml;

/// Goal: the OpenAPI document has exactly the routes there are. Method: the controllers' mappings
/// beside the document's paths.
class OpenApiTest {
  private static final List<Class<?>> CONTROLLERS =
      List.of(
          ClueController.class,
          JournalController.class,
          LedgerController.class,
          OpenApiController.class,
          PrepareController.class,
          TreeController.class,
          VerifyController.class);

  @Test
  void theDocumentHasExactlyTheRoutesThereAre() throws Exception {
    Set<String> routes = new TreeSet<>();
    for (Class<?> controller : CONTROLLERS) {
      for (Method method : controller.getDeclaredMethods()) {
        RequestMapping mapping =
            AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class);
        if (mapping != null) {
          for (RequestMethod verb : mapping.method()) {
            routes.add(
                verb.name().toLowerCase(Locale.ROOT)
                    + " "
                    + mapping.path()[0].replaceAll(":[^{}]*}", "}"));
          }
        }
      }
    }
    Set<String> documented = new TreeSet<>();
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream(OpenApiController.RESOURCE))) {
      Map<String, Map<String, Map<String, Object>>> document = new Yaml().load(in);
      Map<String, Map<String, Object>> paths = Objects.requireNonNull(document.get("paths"));
      paths.forEach(
          (path, verbs) -> verbs.keySet().forEach(verb -> documented.add(verb + " " + path)));
    }
    assertThat(documented).isEqualTo(routes).isNotEmpty();
  }
}
