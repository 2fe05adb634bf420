package io.tallystick.cli.state;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.state.StateWrite;
import io.tallystick.model.Jsn;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Who signs a write to the state, and on what condition it is carried out.
final class StateWriteOptions {
  @Option(
      names = "--key",
      required = true,
      paramLabel = "FILE",
      description = "Your private key; repeat the option for co-signers")
  private List<Path> keys = List.of();

  @Option(names = "--if-absent", description = "Write only if the key has no value")
  private boolean ifAbsent;

  @Option(
      names = "--if-version",
      paramLabel = "JSN",
      description = "Write only if this journal wrote what the key holds now")
  private @Nullable Long ifVersion;

  @Option(
      names = "--if-value",
      paramLabel = "TEXT",
      description = "Write only if the key has this value")
  private @Nullable String ifValue;

  /// Writes, verifies the receipt and prints it.
  void write(ServiceOptions service, String ledgerId, StateWrite bare, Output output)
      throws Exception {
    StateWrite write = conditional(bare);
    try (TallyClient client = service.connect()) {
      LedgerHandle ledger = ServiceOptions.open(client, ledgerId, keys);
      VerifiedReceipt receipt;
      try {
        receipt = ledger.state().write(write);
      } catch (IllegalArgumentException e) {
        // A value too large: the SDK's limits are the user's.
        throw new UsageException(String.valueOf(e.getMessage()));
      }
      output.print(
          String.format(
              Locale.ROOT,
              "jsn %s, verified under the head of %s leaves",
              receipt.jsn(),
              receipt.head().size()),
          Output.object(
              "jsn",
              receipt.jsn().value(),
              "timeMs",
              receipt.timeMs(),
              "treeSize",
              receipt.head().size().value(),
              "repeated",
              receipt.repeated()));
    }
  }

  private StateWrite conditional(StateWrite bare) throws UsageException {
    Long version = ifVersion;
    int conditions = (ifAbsent ? 1 : 0) + (version == null ? 0 : 1) + (ifValue == null ? 0 : 1);
    if (conditions > 1) {
      throw new UsageException("--if-absent, --if-version and --if-value: give one of them");
    }
    if (version != null && version < 0) {
      throw new UsageException("--if-version is 0 or more");
    }
    if (ifAbsent) {
      return bare.ifAbsent();
    }
    if (version != null) {
      return bare.ifVersion(new Jsn(version));
    }
    return ifValue == null ? bare : bare.ifValue(ifValue);
  }
}
