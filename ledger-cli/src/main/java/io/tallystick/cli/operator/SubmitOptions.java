package io.tallystick.cli.operator;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Submitting heads to a T-Ledger, of `tally up`.
final class SubmitOptions {
  @Option(
      names = "--submit-to",
      paramLabel = "HOST:PORT",
      required = true,
      description = "The service that keeps the T-Ledger")
  private String at = "";

  @Option(
      names = "--submit-id",
      paramLabel = "ID",
      required = true,
      description = "The T-Ledger's id; no other is believed")
  private String id = "";

  @Option(
      names = "--submit-ledger",
      paramLabel = "LEDGER|all",
      required = true,
      description =
          "A ledger whose heads are submitted; repeat it for more. Its id and its pace become"
              + " public")
  private List<String> ledgers = List.of();

  @Option(
      names = "--submit-interval",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "The least time between two heads of a ledger. Default: ${DEFAULT-VALUE}")
  private long interval;

  @Option(
      names = "--submit-invitation",
      paramLabel = "FILE",
      description =
          "The invitation of the T-Ledger's operator, 64 hex digits. Default: none; then the"
              + " T-Ledger's list must name the ledgers")
  private @Nullable Path invitation;

  void addTo(GivenSettings given) {
    given.add("--submit-to", "time.submit.at", at);
    given.add("--submit-id", "time.submit.id", id);
    given.addAll("--submit-ledger", "time.submit.ledgers", ledgers);
    given.addSeconds("--submit-interval", "time.submit.interval", interval);
    given.add("--submit-invitation", "time.submit.invitation", invitation);
  }
}
