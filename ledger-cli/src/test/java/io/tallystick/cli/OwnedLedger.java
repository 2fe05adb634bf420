package io.tallystick.cli;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The real service in this process, a ledger with one owner, and the command for that owner.
///
/// @param id of the ledger, as commands take it
record OwnedLedger(RunningService service, Cli cli, Path key, String id) implements AutoCloseable {
  /// @param home where the data, the owner's key and its trust go
  /// @param options of `tally ledger create`
  static OwnedLedger found(Path home, String name, Object... options) throws Exception {
    RunningService service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
    Path key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(ExitCode.OK);
    Cli cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(key);
    List<Object> words = new ArrayList<>(List.of("ledger", "create", name, "--key", key, "--json"));
    words.addAll(List.of(options));
    String id = cli.call(words.toArray()).json().get("ledgerId").stringValue();
    return new OwnedLedger(service, cli, key, id);
  }

  @Override
  public void close() {
    service.close();
  }
}
