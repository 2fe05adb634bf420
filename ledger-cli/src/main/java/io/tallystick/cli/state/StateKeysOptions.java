package io.tallystick.cli.state;

import io.tallystick.cli.option.KeyBytes;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.model.Bytes;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Ledger and keys of a command about one key or more.
final class StateKeysOptions {
  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "KEY",
      description = "The keys, of 1 to 256 bytes each")
  private List<String> keys = List.of();

  @Option(names = "--hex", description = "The keys are in hex digits, not text")
  private boolean hex;

  String ledgerId() {
    return ledgerId;
  }

  /// One at least.
  List<Bytes> keys() throws UsageException {
    List<Bytes> all = new ArrayList<>();
    for (String key : keys) {
      all.add(KeyBytes.ofState(key, hex));
    }
    return all;
  }
}
