package io.tallystick.cluster.history;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.member.FirstMember;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/// Clients of one ledger of a cluster, each with a trust store of its own, and their history. The
/// first governs; the second knows the last proxy alone.
public final class HistoryClients implements AutoCloseable {
  private static final Duration RETRY = Duration.ofMinutes(2);
  private static final long LOOK_MILLIS = 20;

  private final List<String> proxies;
  private final Path folder;
  private final ClientKey owner = ClientKey.generate();
  private final ClientKey regulator = ClientKey.generate();
  private final History history = new History();
  private final List<TallyClient> connections = new ArrayList<>();
  private final List<HistoryClient> clients = new ArrayList<>();
  private final LedgerHandle governor;
  private int readers;

  /// Founds the ledger.
  ///
  /// @param proxies as `HOST:PORT`
  /// @param folder of the trust stores
  public HistoryClients(List<String> proxies, Path folder) throws TallyException {
    this.proxies = List.copyOf(proxies);
    this.folder = folder;
    TallyClient founder = connect("founder", String.join(",", proxies), owner);
    LedgerId id =
        founder
            .createLedger(
                "history",
                List.of(owner, ClientKey.generate()),
                LedgerOptions.DEFAULT.withMember(
                    FirstMember.of(Role.REGULATOR, regulator.publicKey())))
            .id();
    this.governor = founder.open(id, owner);
  }

  private TallyClient connect(String name, String target, ClientKey reader) {
    TallyClient client = client(name, target, reader);
    connections.add(client);
    return client;
  }

  private TallyClient client(String name, String target, ClientKey reader) {
    return TallyClient.connect(
        ClientConfig.of(target, folder.resolve(name))
            .withReader(reader)
            .withCallTimeout(Duration.ofSeconds(10))
            .withRetry(RetryPolicy.DEFAULT.withTimeMax(RETRY)));
  }

  private LedgerId id() {
    return governor.id();
  }

  /// Starts clients that go on until {@link #stop}.
  public void start(int count, long pauseMillis, RandomGenerator.SplittableGenerator random)
      throws TallyException {
    for (int i = 0; i < count; i++) {
      String name = "client-" + i;
      String target = i == 1 ? proxies.getLast() : String.join(",", proxies);
      LedgerHandle ledger = connect(name, target, owner).open(id(), owner, regulator);
      clients.add(
          new HistoryClient(
              name, new SdkDoor(ledger), history, random.split(), i == 0, pauseMillis));
    }
  }

  public History history() {
    return history;
  }

  /// Waits until so many more journals are acknowledged that were sent from now on.
  public void awaitMore(int count, long seconds) throws InterruptedException {
    long from = history.acknowledged();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (history.acknowledged() < from + count) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(
            "after "
                + seconds
                + " s "
                + (history.acknowledged() - from)
                + " journals are acknowledged, want "
                + count);
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /// Waits until each client has a receipt, a newest head and a proof between heads that came from
  /// now on.
  public void awaitEach(long seconds) throws InterruptedException {
    awaitEach(clients, seconds);
  }

  static void awaitEach(List<HistoryClient> clients, long seconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<HistoryClient.Answered> before = clients.stream().map(HistoryClient::answered).toList();
    for (int i = 0; i < clients.size(); i++) {
      HistoryClient client = clients.get(i);
      while (!client.answered().isAfter(before.get(i))) {
        if (System.nanoTime() - end > 0) {
          throw new AssertionError(
              String.format(
                  Locale.ROOT,
                  "after %d s %s has %s, want more than %s",
                  seconds,
                  client.name(),
                  client.answered(),
                  before.get(i)));
        }
        Thread.sleep(LOOK_MILLIS);
      }
    }
  }

  /// Grants a member that may read, by the last proxy, and goes on reading.
  public HistoryReader grantAReader() throws TallyException {
    ClientKey key = ClientKey.generate();
    governor.addMember(Role.READ_ONLY, key.publicKey());
    TallyClient client = client("reader-" + ++readers, proxies.getLast(), key);
    return new HistoryReader(client, key, governor, history);
  }

  /// Lets all clients end what they have begun.
  public void stop() {
    clients.forEach(HistoryClient::close);
    clients.clear();
  }

  /// What the judge and an auditor find, both as clients that had no part; empty: nothing.
  public List<String> faults() throws Exception {
    LedgerHandle judge =
        connect("judge", String.join(",", proxies), owner).open(id(), owner, regulator);
    List<String> faults = new ArrayList<>(HistoryCheck.faults(history, new SdkDoor(judge)));
    ClientConfig config =
        ClientConfig.of(proxies.getFirst(), folder.resolve("auditor")).withReader(owner);
    ManagedChannel channel = ServiceChannel.reading(config, id());
    try {
      AuditReport report =
          new Auditor(SignatureProviders.best())
              .audit(
                  id(),
                  new RemoteLogSource(channel, new StrandId(id(), 0)),
                  AuditOptions.defaults());
      if (!report.faults().isEmpty()) {
        faults.add(AuditText.of(report));
      }
    } finally {
      channel.shutdownNow();
    }
    return faults;
  }

  @Override
  public void close() {
    stop();
    connections.forEach(TallyClient::close);
  }
}
