package io.tallystick.cluster.process;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.proxy.ClusterNode;
import io.tallystick.cluster.proxy.ClusterRoutes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.wire.WireRole;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Takes back that witnesses made a ledger of a cluster read-only.
@Command(
    name = "writable",
    description = {
      "Take back that witnesses made a ledger read-only, as `tally writable` does of a service. The "
          + "certificate is one of a master.",
      "A witness that is still asked makes it read-only again if it says so again."
    },
    mixinStandardHelpOptions = true)
public final class ClusterWritableCommand implements Callable<Integer> {
  @Parameters(paramLabel = "LEDGER", description = "Its id")
  private String ledger = "";

  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    LedgerId id = ServiceOptions.ledgerId(ledger);
    ClusterRoutes routes = ClusterRoutes.open(cluster.connect(), cluster.tls(), WireRole.MASTER);
    try (ClusterNode node = new ClusterNode(routes, routes, routes)) {
      boolean was = PatientQuestion.ask(() -> node.liftReadOnly(id, Optional.empty()));
      Output.out(spec.commandLine())
          .println("Ledger " + id + (was ? " takes appends again" : " was not read-only"));
      return ExitCode.OK;
    } catch (RequestRejectedException e) {
      Output.err(spec.commandLine()).println("tally: " + e.getMessage());
      return e.code() == RejectionCode.UNAVAILABLE ? ExitCode.UNAVAILABLE : ExitCode.REFUSED;
    }
  }
}
