package io.tallystick.cli.text;

import io.tallystick.cli.terminal.Output;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.journal.Extension;
import io.tallystick.model.Printable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// By whose order a body was erased or a journal removed, for people and for JSON.
public final class ErasureText {
  private ErasureText() {}

  public static String lines(ErasedBody erased) {
    List<String> lines = new ArrayList<>();
    Instant at = Instant.ofEpochMilli(erased.timeMs());
    if (erased.asked() instanceof Extension.Purge purge) {
      lines.add(
          String.format(
              Locale.ROOT,
              "removed   by purge %s of %s, with all below %s but the journals that govern",
              erased.removal(),
              at,
              purge.firstKept()));
    } else {
      lines.add(String.format(Locale.ROOT, "erased    by occult %s of %s", erased.removal(), at));
      String basis = erased.basis().isEmpty() ? "none given" : Printable.of(erased.basis());
      lines.add("basis     " + basis);
    }
    lines.add(
        "ordered   by "
            + erased.signers().stream()
                .map(signer -> role(signer) + " " + signer.kid())
                .collect(Collectors.joining(", ")));
    lines.add(
        erased.doneMs().isPresent()
            ? String.format(
                Locale.ROOT,
                "carried out by %s, says the service",
                Instant.ofEpochMilli(erased.doneMs().getAsLong()))
            : "carried out not yet, says the service");
    lines.add(
        erased.asked() instanceof Extension.Purge
            ? "Verified: this purge stands in the log, and these members signed it. An audit shows "
                + "whether all had to, and that nobody recalled it."
            : "Verified: this occult stands in the log and names the journal, and these members "
                + "signed it.");
    return String.join(System.lineSeparator(), lines);
  }

  /// In a line with others.
  static String words(ErasedBody erased) {
    return String.format(
        Locale.ROOT,
        "erased by %s %s",
        erased.asked() instanceof Extension.Purge ? "purge" : "occult",
        erased.removal());
  }

  public static Map<String, Object> row(ErasedBody erased) {
    Map<String, Object> row =
        Output.object(
            "kind",
            erased.asked() instanceof Extension.Purge ? "purge" : "occult",
            "jsn",
            erased.removal().value(),
            "timeMs",
            erased.timeMs());
    if (erased.asked() instanceof Extension.Purge purge) {
      row.put("firstKept", purge.firstKept().value());
    } else {
      row.put("basis", erased.basis());
    }
    row.put(
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
