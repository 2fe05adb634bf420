package io.tallystick.proxy.rest;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/// Answers put straight into the response, their form being known. What the framework does to find
/// out which form is wanted, and who can write it, takes longer than writing it; appends are
/// answered thousands of times a second. Source: docs/decisions/0026-rest-answers.md.
final class PlainAnswer {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private PlainAnswer() {}

  /// @param answer a record of {@link Json}
  static void json(HttpServletResponse response, Record answer) throws IOException {
    json(response, MediaType.APPLICATION_JSON_VALUE, answer);
  }

  /// @param contentType one whose bytes are JSON
  static void json(HttpServletResponse response, String contentType, Record answer)
      throws IOException {
    write(response, contentType, MAPPER.writeValueAsBytes(answer));
  }

  /// A whole body; status and other headers stand in the response already.
  static void write(HttpServletResponse response, String contentType, byte[] body)
      throws IOException {
    response.setContentType(contentType);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
