package io.tallystick.cli.state;

import picocli.CommandLine.Command;

/// The state of a ledger.
@Command(
    name = "state",
    description = "Read and write the keys and values of a ledger's state.",
    mixinStandardHelpOptions = true,
    subcommands = {
      StateGetCommand.class,
      StatePutCommand.class,
      StateDeleteCommand.class,
      StateRangeCommand.class,
      StateHistoryCommand.class,
      StateVerifyCommand.class
    })
public final class StateCommand {}
