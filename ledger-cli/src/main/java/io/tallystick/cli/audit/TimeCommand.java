package io.tallystick.cli.audit;

import picocli.CommandLine.Command;

/// The time-stamp tokens of a ledger.
@Command(
    name = "time",
    description = "What time-stamp authorities say of a ledger.",
    mixinStandardHelpOptions = true,
    subcommands = {TimeExportCommand.class, TimeLastCommand.class, TimeRequestCommand.class})
public final class TimeCommand {}
