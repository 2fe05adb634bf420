package io.tallystick.cli;

import picocli.CommandLine.Command;

/// The service's own keys.
@Command(
    name = "keys",
    description = "Make further keys for a service, and rotate ledgers to them.",
    mixinStandardHelpOptions = true,
    subcommands = {KeysNewCommand.class, KeysRotateCommand.class, KeysChainCommand.class})
final class KeysCommand {}
