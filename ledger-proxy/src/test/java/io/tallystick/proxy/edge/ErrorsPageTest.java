package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.rest.HttpStatuses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/// Goal: `docs/errors.md` tells the truth. Method: each code's row is compared with the code.
class ErrorsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "errors.md");

  @Test
  void everyCodeStandsInThePageWithItsStatuses() throws IOException {
    String page = Files.readString(PAGE);
    for (RejectionCode code : RejectionCode.values()) {
      assertThat(page)
          .contains(
              String.format(
                  Locale.ROOT,
                  "| `%s` | %s | %d |",
                  code.wire(),
                  GrpcProblems.grpcStatus(code),
                  HttpStatuses.of(code)));
    }
    assertThat(page).contains("| `" + GrpcProblems.INTERNAL + "` | INTERNAL | 500 |");
  }

  @Test
  void thePageHasNoOtherCode() throws IOException {
    List<String> known = new ArrayList<>(List.of(GrpcProblems.INTERNAL));
    for (RejectionCode code : RejectionCode.values()) {
      known.add(code.wire());
    }
    assertThat(
            Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(3, line.indexOf('`', 3))))
        .containsExactlyInAnyOrderElementsOf(known);
  }

  @Test
  void saysOfRetryableCodesThatTheyAre() throws IOException {
    for (String line : Files.readAllLines(PAGE)) {
      for (RejectionCode code : RejectionCode.values()) {
        if (line.startsWith("| `" + code.wire() + "`")) {
          assertThat(line.contains("retryable")).as(line).isEqualTo(code.retryable());
        }
      }
    }
  }

  @Test
  void aProblemCarriesEverythingTheRefusalSays() {
    RequestRejectedException refusal =
        new RequestRejectedException(RejectionCode.TOO_LARGE, "request of 9 bytes, at most 8")
            .withLimit(8)
            .atIndex(3)
            .atJsn(7)
            .atOperation(4, Bytes.utf8("k"));
    assertThat(GrpcProblems.toProto(refusal))
        .isEqualTo(
            io.tallystick.api.v1.Problem.newBuilder()
                .setCode("too_large")
                .setDetail("request of 9 bytes, at most 8")
                .setLimit(8)
                .setIndex(3)
                .setJsn(7)
                .setOperation(4)
                .setKey(ByteString.copyFromUtf8("k"))
                .setHttpStatus(413)
                .build());
  }
}
