package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.model.Jsn;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: who knows several addresses of a service goes on while one answers, and nothing is done
/// twice. Method: a real service behind two ports that go down, freeze and come back under load;
/// the `tally` command with addresses of which some are dead or wrong.
class SeveralAddressesTest {
  private static final int READS = 4;

  /// Longer than this test waits for any one thing: what is on its way when a connection ends or
  /// freezes is sent again until it is answered, however busy the machine is.
  private static final Duration REPEATS = Duration.ofMinutes(5);

  private static final LedgerOptions LATE = new LedgerOptions(false, REPEATS.plus(REPEATS));

  @TempDir private Path home;

  private RunningService start() throws Exception {
    return TallystickService.start(
        LocalNode::open, "--tallystick.data-dir=" + home.resolve("data"), "--tallystick.port=0");
  }

  @Seeded(runs = 1)
  void appendsAndReadsGoOnAtTheOtherAddress(SplittableRandom random) throws Exception {
    ClientKey owner = ClientKey.generate();
    try (RunningService service = start();
        Relay one = new Relay(service.port());
        Relay two = new Relay(service.port());
        TallyClient client = TallyClient.connect(config(one, two, "trust"));
        TallyClient appending =
            TallyClient.connect(
                config(one, two, "appending")
                    .withReader(owner)
                    .withRetry(RetryPolicy.DEFAULT.withTimeMax(REPEATS)))) {
      LedgerHandle ledger = client.createLedger("two", List.of(owner), LATE);
      Load load = new Load(appending.open(ledger.id(), owner), owner);
      try {
        load.start(2, 1, 1, random);
        goesOn(ledger, load);
        one.down();
        goesOn(ledger, load);
        upAndConnected(one);
        two.down();
        goesOn(ledger, load);
        one.down();
        two.up();
        goesOn(ledger, load);
        upAndConnected(one);
        two.freeze();
        reads(ledger);
        two.down();
        goesOn(ledger, load);
      } finally {
        load.stop();
      }
      assertThat(load.failures).isEmpty();
      assertThat(load.unknown).isEmpty();
      int journals = Books.check(ledger, load);
      assertThat(Audits.pass(one.target(), ledger.id(), owner).counts().journals())
          .isEqualTo(journals);
    }
  }

  private ClientConfig config(Relay one, Relay two, String trust) {
    return ClientConfig.of(one.target() + "," + two.target(), home.resolve(trust))
        .withCallTimeout(Duration.ofSeconds(1));
  }

  private static void goesOn(LedgerHandle ledger, Load load) throws Exception {
    Books.awaitProgress(load);
    reads(ledger);
  }

  private static void reads(LedgerHandle ledger) throws Exception {
    for (int i = 0; i < READS; i++) {
      assertThat(ledger.get(new Jsn(0)).jsn()).isEqualTo(new Jsn(0));
    }
  }

  /// The client comes back without being told.
  private static void upAndConnected(Relay relay) throws Exception {
    int before = relay.connections();
    relay.up();
    Waiting.until("it is connected again", () -> relay.connections() > before);
  }

  @Test
  void aCommandPassesOverWhatIsDead() throws Exception {
    Path key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(ExitCode.OK);
    try (RunningService service = start()) {
      String live = service.target();
      int port = service.port();
      for (String addresses :
          List.of(
              live,
              "127.0.0.1:1," + live,
              live + ", [::1]:1",
              "127.0.0.2:1,localhost:1," + live,
              "dns:///127.0.0.1:" + port)) {
        String trust = home.resolve("trust").toString();
        new Cli(addresses, trust)
            .call("ledger", "create", "a ledger", "--key", key)
            .hasStatus(ExitCode.OK);
      }
    }
    assertThat(
            new Cli("127.0.0.1:1,127.0.0.1:2", home.resolve("trust").toString())
                .call("ledger", "list")
                .hasStatus(ExitCode.UNAVAILABLE)
                .err())
        .contains("Connection refused");
  }

  @Test
  void addressesThatAreNoneAreToldOf() {
    Map<String, String> wrong =
        Map.of(
            " ", "no address, want host:port",
            "127.0.0.1:1,", "\"\" is no address, want host:port",
            "127.0.0.1", "\"127.0.0.1\" is no address, want host:port",
            "127.0.0.1:1,127.0.0.1:65536", "\"127.0.0.1:65536\" is no address, want host:port",
            "a:1,b:2,A:01", "address A:01 is there twice",
            "a:1,dns:///b:2", "dns:///b:2 stands alone, without other addresses",
            "dns:///b", "\"dns:///b\" is no address, want host:port",
            "unix:///b:2", "\"unix:///b:2\" is no address, want host:port");
    wrong.forEach((addresses, words) ->
        assertThat(
                new Cli(addresses, home.toString())
                    .call("ledger", "list")
                    .hasStatus(ExitCode.USAGE)
                    .err())
            .contains("--service " + addresses + ": " + words));
  }
}
