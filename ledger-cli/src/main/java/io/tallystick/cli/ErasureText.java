package io.tallystick.cli;

import io.tallystick.cli.terminal.Output;
import io.tallystick.client.ErasedBody;
import io.tallystick.model.Printable;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// By whose order a body was erased, for people and for JSON.
final class ErasureText {
  private ErasureText() {}

  static String lines(ErasedBody erased) {
    String basis = erased.basis().isEmpty() ? "none given" : Printable.of(erased.basis());
    String done =
        erased.doneMs().isPresent()
            ? "by %s, says the service".formatted(Instant.ofEpochMilli(erased.doneMs().getAsLong()))
            : "not yet, says the service";
    return """
    erased    by journal %s of %s
    basis     %s
    ordered   by %s
    carried out %s\
    """
        .formatted(
            erased.occult(),
            Instant.ofEpochMilli(erased.timeMs()),
            basis,
            erased.signers().stream()
                .map(signer -> role(signer) + " " + signer.kid())
                .collect(Collectors.joining(", ")),
            done);
  }

  static Map<String, Object> row(ErasedBody erased) {
    Map<String, Object> row =
        Output.object(
            "jsn",
            erased.occult().value(),
            "timeMs",
            erased.timeMs(),
            "basis",
            erased.basis(),
            "signers",
            erased.signers().stream()
                .map(signer -> Output.object("kid", signer.kid().hex(), "role", role(signer)))
                .toList());
    erased.doneMs().ifPresent(doneMs -> row.put("doneMs", doneMs));
    return row;
  }

  private static String role(ErasedBody.Signer signer) {
    return signer.role().map(role -> role.name().toLowerCase(Locale.ROOT)).orElse("member");
  }
}
