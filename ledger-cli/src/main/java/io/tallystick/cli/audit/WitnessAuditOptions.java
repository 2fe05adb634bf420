package io.tallystick.cli.audit;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.model.MalformedException;
import io.tallystick.note.WitnessKey;
import io.tallystick.note.Witnesses;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Which witnesses must have cosigned a head of the log.
final class WitnessAuditOptions {
  @Option(
      names = "--witness",
      paramLabel = "VKEY",
      description =
          "The verifier key of a witness that must have cosigned a head of the log. Repeat it for "
              + "more. Get it from the witness, not from the ledger's operator")
  private List<String> keys = List.of();

  @Option(
      names = "--quorum",
      paramLabel = "N",
      description = "How many of the witnesses must have cosigned; needs --witness. Default: all")
  private @Nullable Integer quorum;

  boolean asked() {
    return !keys.isEmpty() || quorum != null;
  }

  /// @return empty without the options
  Optional<Witnesses> witnesses() throws UsageException {
    if (!asked()) {
      return Optional.empty();
    }
    if (keys.isEmpty()) {
      throw new UsageException("--quorum needs --witness");
    }
    List<WitnessKey> parsed = new ArrayList<>();
    for (String key : keys) {
      try {
        parsed.add(WitnessKey.parse(key.strip()));
      } catch (MalformedException e) {
        throw new UsageException("--witness " + key + ": " + e.getMessage());
      }
    }
    try {
      return Optional.of(new Witnesses(parsed, quorum == null ? keys.size() : quorum));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--witness, --quorum: " + e.getMessage());
    }
  }
}
