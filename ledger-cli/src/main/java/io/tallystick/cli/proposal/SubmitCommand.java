package io.tallystick.cli.proposal;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.ProposalText;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.journal.Proposal;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Hands a signed proposal in.
@Command(
    name = "submit",
    description = {
      "Submit a proposal with the signatures it has, and verify the receipt.",
      "If a signature is missing, the service says whose, and nothing changes."
    },
    mixinStandardHelpOptions = true)
public final class SubmitCommand implements Callable<Integer> {
  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "FILE", description = "The proposal, as `tally sign` leaves it")
  private Path file = Path.of("");

  @Override
  public Integer call() throws Exception {
    Proposal proposal = new ProposalFile(file).read();
    if (proposal.signatures().isEmpty()) {
      throw new UsageException("nobody has signed " + file + "; see `tally sign`");
    }
    try (TallyClient client = service.connect()) {
      VerifiedReceipt receipt = client.open(proposal.request().strand().ledger()).submit(proposal);
      Map<String, Object> row = ProposalText.row(proposal);
      row.put("jsn", receipt.jsn().value());
      row.put("timeMs", receipt.timeMs());
      row.put("treeSize", receipt.head().size().value());
      output.print(
          String.format(
              Locale.ROOT,
              "%s%nDone at jsn %s, verified under the head of %s leaves.",
              ProposalText.lines(proposal),
              receipt.jsn(),
              receipt.head().size()),
          row);
    }
    return ExitCode.OK;
  }
}
