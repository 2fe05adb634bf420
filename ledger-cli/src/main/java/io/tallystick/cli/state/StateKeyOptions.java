package io.tallystick.cli.state;

import io.tallystick.cli.option.KeyBytes;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.model.Bytes;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Ledger and key of a command about one key.
final class StateKeyOptions {
  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Parameters(
      index = "1",
      paramLabel = "KEY",
      description = "The key, 1 to 256 bytes; keys cannot be erased")
  private String key = "";

  @Option(names = "--hex", description = "KEY is in hex digits, not text")
  private boolean hex;

  String ledgerId() {
    return ledgerId;
  }

  Bytes key() throws UsageException {
    return KeyBytes.ofState(key, hex);
  }
}
