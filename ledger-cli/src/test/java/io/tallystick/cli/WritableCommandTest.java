package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.model.LedgerId;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator lets a ledger take appends again that a witness has made read-only. Method:
/// the command line against a real service, and the word of a witness.
class WritableCommandTest {
  @TempDir private Path home;

  private Cli.Result writable(Object... words) {
    List<Object> all = new ArrayList<>(List.of("writable", "--data", home.resolve("data")));
    all.addAll(List.of(words));
    return Cli.run(all.toArray());
  }

  @Test
  void appendsAreTakenAgain() throws Exception {
    Path key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(0);
    AtomicReference<LedgerNode> node = new AtomicReference<>();
    String ledger;
    try (RunningService service =
        TallystickService.start(
            (folders, authority, signatures, meters, options) -> {
              LocalNode opened = LocalNode.open(folders, authority, signatures, meters, options);
              node.set(opened.node());
              return opened;
            },
            ServiceProperties.of(home.resolve("data"), 0))) {
      Cli cli = new Cli(service.target(), home.resolve("trust").toString());
      ledger =
          cli.call("ledger", "create", "l", "--key", key, "--json")
              .json()
              .get("ledgerId")
              .stringValue();
      Objects.requireNonNull(node.get()).makeReadOnly(LedgerId.fromHex(ledger), 99, "one.example");
      assertThat(
              cli.call("append", ledger, "--text", "a", "--key", key)
                  .hasStatus(ExitCode.REFUSED)
                  .err())
          .contains("read_only");
      assertThat(writable(ledger).hasStatus(0).out()).contains("It takes appends again.");
      cli.call("append", ledger, "--text", "a", "--key", key).hasStatus(0);
      assertThat(writable(ledger, "--json").json().get("wasReadOnly").booleanValue()).isFalse();
    }
    assertThat(writable(ledger).hasStatus(ExitCode.UNAVAILABLE).err())
        .contains("no service takes the operator's requests in " + home.resolve("data"));
  }
}
