package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.process.ServiceProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: a history has every write of a key whatever versions of the state the service keeps; that
/// there are no others is called proven only where it is. Method: six writes, SIGKILL, start again,
/// and the command line, before and after older versions are dropped.
@Tag("long")
class HistoryAfterKillTest {
  @TempDir private Path home;

  private ServiceProcess start() throws Exception {
    return ServiceProcess.start(home.resolve("data"), home.resolve("service.log"), 0);
  }

  private Cli cli(ServiceProcess service, Path key) {
    return new Cli(service.target(), home.resolve("trust").toString()).withReader(key);
  }

  @Test
  void showsAllWritesOfAKey() throws Exception {
    Path key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(0);
    String ledger;
    try (ServiceProcess service = start()) {
      Cli cli = cli(service, key);
      ledger =
          cli.call("ledger", "create", "seats", "--state", "--key", key, "--json")
              .json()
              .get("ledgerId")
              .stringValue();
      for (int i = 0; i < 6; i++) {
        cli.call("state", "put", ledger, "seat", "guest " + i, "--key", key).hasStatus(0);
      }
      service.kill();
    }
    try (ServiceProcess service = start()) {
      Cli cli = cli(service, key);
      JsonNode history = cli.call("state", "history", ledger, "seat", "--json").json();
      assertThat(history.get("versions").valueStream().map(row -> row.get("value").stringValue()))
          .containsExactly("guest 5", "guest 4", "guest 3", "guest 2", "guest 1", "guest 0");
      assertThat(history.get("completeness").stringValue()).isEqualTo("proven");
      assertThat(cli.call("state", "history", ledger, "seat").hasStatus(0).out())
          .contains("Verified: 6 writes of \"seat\" up to block 6; it is proven that no other");
      Cli.run("prune", "--data", home.resolve("data"), ledger, "--below", 6).hasStatus(0);
      assertThat(cli.call("state", "history", ledger, "seat").hasStatus(0).out())
          .contains("guest 0", "guest 5", "Verified: 6 writes of \"seat\" up to block 6. That ")
          .contains("no others is the service's word: it does not show that journal ")
          .doesNotContain("proven");
    }
  }
}
