package io.tallystick.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.cli.operator.HealthCommand;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.LedgerProposals;
import io.tallystick.client.ProposalStatus;
import io.tallystick.client.StampedTime;
import io.tallystick.client.TallyClient;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.ClusterTLedger;
import io.tallystick.cluster.proxy.ClusterNode;
import io.tallystick.cluster.proxy.ClusterRoutes;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.master.tledger.SubmittedLedgers;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.anchor.Submitting;
import io.tallystick.proxy.edge.RemoteTLedger;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.testkit.Waiting;
import io.tallystick.wire.WireRole;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;

/// What each role of a running cluster does, and its commands.
final class ClusterRoles {
  /// Longer than heads wait for a stamp.
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private static final List<String> ROLES =
      List.of(
          "zookeeper",
          "bookie-1",
          "bookie-2",
          "bookie-3",
          "master-1",
          "master-2",
          "server-1",
          "server-2",
          "proxy-1",
          "proxy-2");

  private final ClusterTrial trial;
  private final Path folder;
  private final Path own;

  /// @param folder in which `cluster` is the trial's
  ClusterRoles(ClusterTrial trial, Path folder) {
    this.trial = trial;
    this.folder = folder.resolve("cluster");
    this.own = folder;
  }

  /// Starts the trial, with one shard.
  void doWhatIsDoneOnce() throws Exception {
    ClientKey key = ClientKey.generate();
    try (CountedAuthority authority = new CountedAuthority(own.resolve("authority.pem"))) {
      trial.give("master", "--settings", authority.settings(own).toString());
      Path submitters = Files.writeString(own.resolve("submitters"), "anybody 10\n");
      trial.give("server", "--submitters", submitters.toString());
      trial.start(1);
      ClientConfig config =
          ClientConfig.of(String.join(",", trial.proxies()), own.resolve("duties"))
              .withReader(key)
              .withCallTimeout(Duration.ofSeconds(30));
      try (TallyClient client = TallyClient.connect(config)) {
        LedgerHandle ledger =
            client.createLedger(
                "duties", List.of(key, ClientKey.generate()), LedgerOptions.DEFAULT);
        submitOnce(ledger);
        withdraw(ledger);
        stampOnce(ledger, authority);
        var _ = ledger.append(JournalDraft.text("for the T-Ledger"));
      }
    }
    requireOneSubmitter();
    keepTLedger();
    addKeys();
  }

  /// Heads of ledgers are submitted to the cluster's T-Ledger through a proxy, and entered by the
  /// owner of its shard.
  private void keepTLedger() throws Exception {
    assertThat(run("t-ledger", "--keys", folder.resolve("keys").toString())).isEqualTo(ExitCode.OK);
    ClusterConnection connection = ClusterConnection.open(trial.zooKeeper(), ClusterTrial.CLUSTER);
    LedgerId id = ClusterTLedger.read(connection).orElseThrow().id();
    ClusterRoutes routes = ClusterRoutes.open(connection, Optional.empty(), WireRole.MASTER);
    String[] at = trial.proxies().getFirst().split(":", -1);
    Submitting.Target target =
        new Submitting.Target(
            at[0],
            Integer.parseInt(at[1]),
            true,
            id,
            new SubmittedLedgers(Set.of(), id),
            Duration.ofSeconds(1));
    try (ClusterNode node = new ClusterNode(routes, routes, routes)) {
      routes.awaitOwner(Duration.ofSeconds(30).toMillis());
      StrandId strand = new StrandId(id, 0);
      long founded = node.newestSize(strand);
      try (Submitting _ =
          Submitting.to(
              target,
              own.resolve("submit"),
              new RemoteTLedger(target, ""),
              node,
              SignatureProviders.best(),
              new SimpleMeterRegistry())) {
        Waiting.until("a head is entered", () -> node.newestSize(strand) > founded);
      }
    }
  }

  private String log(String name) throws IOException {
    return Files.readString(folder.resolve("log").resolve(name + ".log"), StandardCharsets.UTF_8);
  }

  private static int count(LedgerHandle ledger, Kind kind) throws Exception {
    int count = 0;
    Optional<Jsn> from = Optional.of(new Jsn(0));
    while (from.isPresent()) {
      JournalPage page = ledger.list(from.get(), JournalPage.LIMIT_MAX);
      count +=
          (int)
              page.journals().stream()
                  .filter(each -> each.header().filter(it -> it.kind() == kind).isPresent())
                  .count();
      from = page.next();
    }
    return count;
  }

  /// A proposal that is complete at a proxy is submitted by the shard's owner.
  private static void submitOnce(LedgerHandle ledger) throws Exception {
    ClientKey member = ClientKey.generate();
    ProposalStatus status =
        ledger
            .proposals()
            .put(
                ledger
                    .proposals()
                    .draft(
                        Kind.MEMBER_ADD,
                        new Extension.MemberAdd(Role.NORMAL, member.publicKey()),
                        Duration.ofMinutes(10)));
    assertThat(status.state()).isEqualTo(ProposalStatus.State.COMMITTED);
    assertThat(count(ledger, Kind.MEMBER_ADD)).isEqualTo(1);
  }

  /// What waits for another owner's signature is withdrawn by a token, which the server verifies.
  private static void withdraw(LedgerHandle ledger) throws Exception {
    LedgerProposals proposals = ledger.proposals();
    ProposalStatus status =
        proposals.put(
            proposals.draft(Kind.CLOSE, Extension.Close.INSTANCE, Duration.ofMinutes(10)));
    assertThat(status.state()).isEqualTo(ProposalStatus.State.OPEN);
    proposals.withdraw(status.requestHash());
    assertThat(proposals.list().stream().map(ProposalStatus::requestHash))
        .doesNotContain(status.requestHash());
  }

  /// Of two masters one has heads stamped: the first by itself, the newest because a member asks a
  /// proxy for it. Each stamp is one time journal.
  private void stampOnce(LedgerHandle ledger, CountedAuthority authority) throws Exception {
    Waiting.until("the first is stamped", () -> count(ledger, Kind.TIME) >= 1);
    StampedTime asked = ledger.anchors().requestTime();
    assertThat(asked.existed()).isFalse();
    assertThat(ledger.anchors().requestTime().existed()).isTrue();
    Thread.sleep(SETTLED); // another master would have asked by now
    assertThat(count(ledger, Kind.TIME)).isEqualTo(authority.stamped());
    assertThat(log("proxy-1") + log("proxy-2")).contains("time is not anchored");
  }

  /// A pair is listed once both servers hold it; a server that lacks it claims nothing, and says
  /// so.
  private void addKeys() throws Exception {
    Path keys = folder.resolve("keys");
    Path old = folder.resolve("old-keys");
    Files.createDirectories(old);
    for (String name : List.of("note.pem", "receipt.pem")) {
      Files.copy(keys.resolve(name), old.resolve(name));
    }
    ServiceKeyStore.makePair(keys, SignatureProviders.best());
    Waiting.until(
        "both servers hold the new pair",
        () -> run("keys", "add", "--keys", keys.toString()) == ExitCode.OK);
    trial.startServer(3, old);
    trial.awaitReady("server-3", "Server ");
    Waiting.until(
        "it says why",
        () -> log("server-3").contains("no shard is claimed: this server lacks key"));
    assertThat(health("server-3"))
        .contains("not ready: status 503; claims ", "this server lacks key pairs");
    trial.kill("server-3");
  }

  /// Of proxies and servers one has the thread that submits proposals: that an append is answered
  /// once would not show it, since a repeat is answered with the same journal.
  private void requireOneSubmitter() throws Exception {
    int submitters = 0;
    for (String name : List.of("proxy-1", "proxy-2", "server-1", "server-2")) {
      String pid = Files.readString(folder.resolve("log").resolve(name + ".pid")).strip();
      assertThat(new ProcessBuilder("kill", "-QUIT", pid).start().waitFor()).isZero();
      Waiting.until("its threads are in its log", () -> log(name).contains("JNI global refs"));
      submitters += log(name).contains("\"proposals\"") ? 1 : 0;
    }
    assertThat(submitters).isEqualTo(1);
  }

  /// A server that was killed just now is suspected by the master's stream to it, before its
  /// session ends.
  void requireSuspected(ClusterConnection cluster, String server) throws Exception {
    String suspected = "server " + server + " is suspected: the stream to it broke";
    Waiting.until("it is suspected", () -> (log("master-1") + log("master-2")).contains(suspected));
    assertThat(cluster.coordination().read(cluster.paths().server(server)))
        .as("its session")
        .isPresent();
  }

  /// Each role says that it is ready, and what an operator's alerts look at is there.
  void requireHealth() throws Exception {
    for (String name : ROLES) {
      Waiting.until(name + " is ready", () -> health(name).equals("ready"));
    }
    String servers = metrics("server-1") + metrics("server-2");
    assertThat(servers)
        .contains(
            "ledger_shard_epoch{shard=\"0\"}",
            "ledger_follower_lag_ms{shard=\"0\"}",
            "ledger_commit_force_seconds_count{shard=\"0\"}");
    assertThat(metrics("master-1") + metrics("master-2"))
        .contains("ledger_master_leads 1.0", "ledger_cluster_unserved_shards 0.0");
    String all = servers + metrics("master-1") + metrics("bookie-1") + metrics("zookeeper");
    Set<String> served =
        all.lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split("[{ ]", 2)[0])
            .collect(Collectors.toSet());
    assertThat(served).containsAll(ClusterPages.metricsOfThePage());
    assertThat(served).containsAll(ClusterPages.metricsOfTheAlerts());
  }

  /// What `tally health` says of a process.
  private String health(String name) {
    CommandLine command = new CommandLine(new HealthCommand());
    StringWriter said = new StringWriter();
    command.setOut(new PrintWriter(said));
    command.execute("--data", trial.folder(name).toString());
    return said.toString().strip();
  }

  private String metrics(String name) throws Exception {
    String port = Files.readString(trial.folder(name).resolve(RunningService.MANAGEMENT_PORT_FILE));
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(
                      URI.create("http://127.0.0.1:" + port.strip() + "/actuator/prometheus"))
                  .build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  void rebuildRegistry() {
    assertThat(run("rebuild-registry")).isEqualTo(ExitCode.OK);
  }

  private int run(String... words) {
    List<String> all = new ArrayList<>(List.of("cluster"));
    all.addAll(List.of(words));
    all.addAll(List.of("--zookeeper", trial.zooKeeper(), "--cluster", ClusterTrial.CLUSTER));
    CommandLine command = ClusterTally.commandLine();
    command.setOut(new PrintWriter(new StringWriter()));
    command.setErr(new PrintWriter(new StringWriter()));
    return command.execute(all.toArray(String[]::new));
  }
}
