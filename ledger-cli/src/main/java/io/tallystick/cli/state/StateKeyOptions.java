package io.tallystick.cli.state;

import io.tallystick.cli.option.KeyBytes;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.journal.Limits;
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
    Bytes bytes = KeyBytes.of(key, hex);
    if (bytes.isEmpty() || bytes.size() > Limits.KEY_BYTES_MAX) {
      throw new UsageException(
          "KEY has " + bytes.size() + " bytes, want 1 to " + Limits.KEY_BYTES_MAX);
    }
    return bytes;
  }
}
