package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.proxy.ClusterRoutes;
import io.tallystick.master.registry.LedgerInTwoShardsException;
import io.tallystick.master.registry.RegistryRebuild;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerRead;
import io.tallystick.wire.WireRole;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// Makes the registry of ledgers again, from what the shards have.
@Command(
    name = "rebuild-registry",
    description = {
      "Make the registry of ledgers again from what the shards have, after ZooKeeper has lost it in "
          + "whole or in part. No ledger can be founded meanwhile, nor until it succeeds.",
      "Every shard must be served. A ledger that two shards have stops it. The certificate is one of "
          + "a master."
    },
    mixinStandardHelpOptions = true)
public final class RebuildRegistryCommand implements Callable<Integer> {
  private static final int PAGE = 10_000;

  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    try (ClusterConnection connection = cluster.connect();
        ClusterRoutes routes =
            ClusterRoutes.open(cluster.connect(), cluster.tls(), WireRole.MASTER)) {
      owners(routes); // nothing is closed before all can be asked
      int missing =
          new RegistryRebuild(connection.coordination(), connection.paths(), new SecureRandom())
              .run(() -> ledgers(owners(routes)));
      Output.out(spec.commandLine())
          .println(
              String.format(
                  Locale.ROOT,
                  "The registry of cluster %s is whole; %d ledgers were missing",
                  cluster.cluster(),
                  missing));
      return ExitCode.OK;
    } catch (LedgerInTwoShardsException e) {
      Output.err(spec.commandLine()).println("tally: the registry stays closed: " + e.getMessage());
      return ExitCode.EVIDENCE;
    }
  }

  /// The owners of all shards, in the order of their numbers.
  private static List<LedgerNode> owners(ClusterRoutes routes) throws IOException {
    try {
      return PatientQuestion.ask(routes::all);
    } catch (RequestRejectedException e) {
      throw new IOException("every shard must be served: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static Map<Integer, List<LedgerId>> ledgers(List<LedgerNode> owners) throws IOException {
    Map<Integer, List<LedgerId>> all = new TreeMap<>();
    try {
      for (int shard = 0; shard < owners.size(); shard++) {
        all.put(shard, ledgers(owners.get(shard)));
      }
      return all;
    } catch (RequestRejectedException e) {
      throw new IOException("a shard does not tell its ledgers: " + e.getMessage(), e);
    }
  }

  private static List<LedgerId> ledgers(LedgerNode owner) throws RequestRejectedException {
    List<LedgerId> all = new ArrayList<>();
    Optional<LedgerId> after = Optional.empty();
    while (true) {
      List<LedgerId> page = owner.ask(new LedgerRead.Founded(after, PAGE));
      all.addAll(page);
      if (page.size() < PAGE) {
        return all;
      }
      after = Optional.of(page.getLast());
    }
  }
}
