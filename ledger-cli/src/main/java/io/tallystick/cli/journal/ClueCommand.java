package io.tallystick.cli.journal;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Clues of a ledger.
@Command(
    name = "clue",
    description = "Delete a clue, or enable clues in a ledger founded without them.",
    mixinStandardHelpOptions = true,
    subcommands = {ClueCommand.Delete.class, ClueCommand.Enable.class})
public final class ClueCommand {
  @Command(
      name = "delete",
      description = {
        "Delete a clue, so that it is not listed until it is used again.",
        "Its journals stay and can be read by jsn. The deletion is a journal itself."
      },
      mixinStandardHelpOptions = true)
  static final class Delete implements Callable<Integer> {
    @Mixin private ServiceOptions service = new ServiceOptions();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
    private String ledgerId = "";

    @Parameters(
        index = "1",
        paramLabel = "CLUE",
        description = "The clue, as it was given to append")
    private String clue = "";

    @Option(
        names = "--key",
        required = true,
        paramLabel = "FILE",
        description = "Your private key; repeat the option for co-signers")
    private List<Path> keys = List.of();

    @Override
    public Integer call() throws Exception {
      try (TallyClient client = service.connect()) {
        LedgerHandle ledger = ServiceOptions.open(client, ledgerId, keys);
        VerifiedReceipt receipt;
        try {
          receipt = ledger.deleteClue(clue);
        } catch (IllegalArgumentException e) {
          throw new UsageException(String.valueOf(e.getMessage()));
        }
        output.print(
            "deleted by journal " + receipt.jsn(), Output.object("jsn", receipt.jsn().value()));
      }
      return ExitCode.OK;
    }
  }

  @Command(
      name = "enable",
      description = "Let journals name clues from a block on, in a ledger founded without clues.",
      mixinStandardHelpOptions = true)
  static final class Enable implements Callable<Integer> {
    @Mixin private ServiceOptions service = new ServiceOptions();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
    private String ledgerId = "";

    @Option(
        names = "--from-block",
        required = true,
        paramLabel = "HEIGHT",
        description =
            "The first block whose journals may name clues; it must be above the newest " + "block")
    private long firstHeight;

    @Option(names = "--key", required = true, paramLabel = "FILE", description = "An owner's key")
    private List<Path> keys = List.of();

    @Override
    public Integer call() throws Exception {
      if (firstHeight < 1) {
        throw new UsageException("--from-block is 1 or more");
      }
      try (TallyClient client = service.connect()) {
        LedgerHandle ledger = ServiceOptions.open(client, ledgerId, keys);
        VerifiedReceipt receipt = ledger.enableClueTrie(firstHeight);
        output.print(
            "journals may name clues from block "
                + firstHeight
                + " on, by journal "
                + receipt.jsn(),
            Output.object("jsn", receipt.jsn().value(), "firstHeight", firstHeight));
      }
      return ExitCode.OK;
    }
  }
}
