package io.tallystick.cli.removal;

import io.tallystick.cli.proposal.SubmitCommand;
import picocli.CommandLine.Command;

/// Purges of a ledger's beginning.
@Command(
    name = "purge",
    description = {
      "Remove a ledger's journals up to a block, for good.",
      "First `prepare` writes a proposal. An owner and everyone whom it concerns signs it with "
          + "`sign`, which audits the log before. Then `submit` hands it in."
    },
    mixinStandardHelpOptions = true,
    subcommands = {
      PurgePrepareCommand.class,
      PurgeSignCommand.class,
      PurgeRecallCommand.class,
      SubmitCommand.class
    })
public final class PurgeCommand {}
