package io.tallystick.proxy.rest;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/// The OpenAPI document of this version, as it is checked in.
@RestController
final class OpenApiController {
  static final String RESOURCE = "/io/tallystick/proxy/openapi.yaml";

  private static final MediaType YAML = MediaType.parseMediaType("application/yaml");

  private final byte[] document;

  OpenApiController() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(OpenApiController.class.getResourceAsStream(RESOURCE))) {
      document = in.readAllBytes();
    }
  }

  @GetMapping(path = "/v1/openapi.yaml")
  ResponseEntity<byte[]> document() {
    return ResponseEntity.ok().contentType(YAML).body(document);
  }
}
