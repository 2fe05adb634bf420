package io.tallystick.cli.state;

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
    Bytes bytes = bytes(key, hex);
    if (bytes.isEmpty() || bytes.size() > Limits.KEY_BYTES_MAX) {
      throw new UsageException(
          "KEY has " + bytes.size() + " bytes, want 1 to " + Limits.KEY_BYTES_MAX);
    }
    return bytes;
  }

  static Bytes bytes(String text, boolean hex) throws UsageException {
    try {
      return hex ? Bytes.fromHex(text) : Bytes.utf8(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException("\"" + text + "\" is not hex: two digits for each byte");
    }
  }
}
