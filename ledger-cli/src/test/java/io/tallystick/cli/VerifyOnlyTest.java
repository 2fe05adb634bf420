package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a verifyOnly member can do what `docs/access.md` says, and nothing more. Method: each
/// command that reads or signs, with the key of such a member, in a ledger whose members changed.
class VerifyOnlyTest {
  @TempDir private Path home;

  @Test
  void readsReceiptsProofsHeadsMembersAndLogsWithoutBodies() throws Exception {
    Path ada = home.resolve("ada.pem");
    Path vic = home.resolve("vic.pem");
    Cli.run("keygen", ada).hasStatus(0);
    String spki = Cli.run("keygen", vic, "--json").json().get("spki").stringValue();
    try (RunningService service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0))) {
      Cli owner = new Cli(service.target(), home.resolve("trust").toString()).withReader(ada);
      String ledger =
          owner
              .call("ledger", "create", "seen", "--key", ada, "--state", "--json")
              .json()
              .get("ledgerId")
              .stringValue();
      owner.call("member", "add", ledger, spki, "--role", "verifyOnly", "--key", ada).hasStatus(0);
      owner.call("append", ledger, "--text", "a", "--clue", "c", "--key", ada).hasStatus(0);
      owner.call("state", "put", ledger, "k", "v", "--key", ada).hasStatus(0);
      Cli auditor = new Cli(service.target(), home.resolve("his").toString()).withReader(vic);
      String kid =
          Cli.run("keygen", home.resolve("other"), "--json").json().get("kid").stringValue();
      List<List<Object>> allowed =
          List.of(
              List.of("ledger", "show", ledger),
              List.of("verify", ledger),
              List.of("lineage", ledger, "c"),
              List.of("state", "history", ledger, "k", "--no-values"),
              List.of("audit", ledger, "--no-bodies"),
              List.of("export", ledger, home.resolve("export")),
              List.of("anchor", "share", ledger, "--key", vic));
      List<List<Object>> refused =
          List.of(
              List.of("get", ledger, 4),
              List.of("list", ledger),
              List.of("state", "get", ledger, "k"),
              List.of("state", "history", ledger, "k"),
              List.of("audit", ledger),
              List.of("append", ledger, "--text", "x", "--key", vic),
              List.of("member", "revoke", ledger, kid, "--key", vic),
              List.of("proposal", "list", ledger));
      for (List<Object> command : allowed) {
        Cli.Result result = auditor.call(command.toArray());
        assertThat(result.status()).as("%s%n%s", command, result.err()).isZero();
      }
      assertThat(auditor.call("ledger", "show", ledger).out()).contains("owner", "verify");
      assertThat(auditor.call("get", ledger, 2).hasStatus(0).out()).contains("member add");
      for (List<Object> command : refused) {
        assertThat(auditor.call(command.toArray()).hasStatus(ExitCode.REFUSED).err())
            .as("%s", command)
            .contains("role_not_allowed");
      }
    }
  }
}
