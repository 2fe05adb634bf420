package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.ServiceKids;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.master.identity.KeyPairsListed;
import io.tallystick.master.identity.KeysRefusedException;
import io.tallystick.master.identity.NoClusterException;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The key pairs of a cluster.
@Command(
    name = "keys",
    description = "Say which pairs of service keys a cluster has.",
    mixinStandardHelpOptions = true)
public final class ClusterKeysCommand {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Command(
      name = "add",
      description = {
        "List the key pairs of a folder, once every server that is there holds them: make one with "
            + "`tally keys new`, copy the folder to each server, and call this.",
        "From then on a server that lacks one writes no shard."
      },
      mixinStandardHelpOptions = true)
  int add(
      @Mixin ClusterOptions cluster,
      @Option(
              names = "--keys",
              paramLabel = "DIR",
              required = true,
              description = "The folder of the service's keys, as the servers have it")
          Path keys)
      throws IOException, CorruptStreamException, ServiceKeysException, NoClusterException {
    try (ClusterConnection connection = cluster.connect()) {
      KeyPairsListed listed =
          new KeyPairsListed(connection.coordination(), connection.paths(), new SecureRandom());
      for (KeyPairKids pair : ServiceKids.of(keys, SignatureProviders.best())) {
        int count = listed.list(pair).pairs().size();
        Output.out(spec.commandLine())
            .println(
                String.format(
                    Locale.ROOT,
                    "Key pair %s is listed; cluster %s has %d",
                    pair,
                    cluster.cluster(),
                    count));
      }
      return ExitCode.OK;
    } catch (KeysRefusedException e) {
      Output.err(spec.commandLine()).println("tally: " + e.getMessage());
      return ExitCode.REFUSED;
    }
  }
}
