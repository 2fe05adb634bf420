package io.tallystick.cli.removal;

import io.tallystick.cli.proposal.ProposalOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Jsn;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Proposes to take a purge back.
@Command(
    name = "recall",
    description = {
      "Propose to take a purge back of which nothing is erased yet.",
      "An owner signs it with `tally sign`; `tally submit` hands it in."
    },
    mixinStandardHelpOptions = true)
final class PurgeRecallCommand implements Callable<Integer> {
  @Mixin private ProposalOptions proposal = new ProposalOptions();

  @Option(
      names = "--purge",
      required = true,
      paramLabel = "JSN",
      description = "The purge, the newest of the ledger")
  private long purge;

  @Override
  public Integer call() throws Exception {
    proposal.write(Kind.RECALL, new Extension.Recall(new Jsn(purge)));
    return ExitCode.OK;
  }
}
