package io.tallystick.cli;

import picocli.CommandLine.Command;

/// The service's own keys.
@Command(
    name = "keys",
    description = "Make further keys for a service, to which owners may rotate their ledgers.",
    mixinStandardHelpOptions = true,
    subcommands = {KeysNewCommand.class})
final class KeysCommand {}
