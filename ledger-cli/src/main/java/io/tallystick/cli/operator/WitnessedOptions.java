package io.tallystick.cli.operator;

import java.util.List;
import picocli.CommandLine.Option;

/// Witnesses of heads, of `tally up`.
final class WitnessedOptions {
  @Option(
      names = "--witness",
      paramLabel = "VKEY URL",
      required = true,
      description =
          "A witness' verifier key, a space, and the URL in front of /add-checkpoint, as one "
              + "argument; several are all asked")
  private List<String> witnesses = List.of();

  @Option(
      names = "--witness-ledger",
      paramLabel = "LEDGER",
      required = true,
      description = "A ledger whose heads witnesses are shown; no other's are")
  private List<String> ledgers = List.of();

  @Option(
      names = "--witness-quorum",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many must have cosigned a head before it is served as cosigned. Default: "
              + "${DEFAULT-VALUE}")
  private int quorum;

  @Option(
      names = "--witness-interval",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "The time between two rounds. Default: ${DEFAULT-VALUE}")
  private long interval;

  @Option(
      names = "--witness-timeout",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description = "How long to wait for a witness' whole answer. Default: ${DEFAULT-VALUE}")
  private long timeout;

  void addTo(GivenSettings given) {
    given.addAll("--witness", "witness.witnesses", witnesses);
    given.addAll("--witness-ledger", "witness.ledgers", ledgers);
    given.add("--witness-quorum", "witness.quorum", quorum);
    given.addSeconds("--witness-interval", "witness.interval", interval);
    given.addSeconds("--witness-timeout", "witness.timeout", timeout);
  }
}
