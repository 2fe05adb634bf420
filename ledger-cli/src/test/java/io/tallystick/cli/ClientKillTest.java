package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.Receipted;
import io.tallystick.cli.ClientProcess.Records;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a client that is killed has lost nothing that it kept, and can find out what became of
/// what it sent. Method: SIGKILL a client in a process of its own under load, several times; then
/// take its trust directory, verify every receipt it held, and send all it ever sent once more,
/// byte for byte.
class ClientKillTest {
  private static final int ROUNDS = Effort.of(2, 4);
  private static final int HELD_PER_ROUND = 20;

  @TempDir private Path home;

  @Seeded(runs = 1)
  void anotherClientTakesOverWithTheSameTrustDirectory(SplittableRandom random) throws Exception {
    Path key = home.resolve("key.pem");
    ClientKey owner = ClientKey.generate();
    owner.save(key);
    Records sent = new Records(home.resolve(ClientProcess.SENT));
    Records held = new Records(home.resolve(ClientProcess.HELD));
    try (ServiceProcess service =
        ServiceProcess.start(home.resolve("data"), home.resolve("service.log"))) {
      String ledgerId;
      try (TallyClient client = client(service)) {
        ledgerId = client.createLedger("c", List.of(owner), LedgerOptions.DEFAULT).id().toString();
      }
      for (int round = 0; round < ROUNDS; round++) {
        int before = held.read().size();
        int sentBefore = sent.read().size();
        Process process = startClient(service, ledgerId, key);
        try {
          Waiting.until(
              "the client holds receipts",
              () -> {
                assertThat(process.isAlive()).as(printed()).isTrue();
                return held.read().size() > before + HELD_PER_ROUND;
              });
          Thread.sleep(random.nextLong(200));
        } finally {
          process.destroyForcibly();
          assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        List<byte[]> sentNow = sent.read();
        resubmit(service, sentNow.subList(sentBefore, sentNow.size()), jsns(held.read()));
      }
      try (TallyClient client = client(service)) {
        takeOver(client.open(LedgerId.fromHex(ledgerId), owner), held);
      }
      Audits.pass(service.target(), LedgerId.fromHex(ledgerId), owner);
    }
  }

  private TallyClient client(ServiceProcess service) {
    return TallyClient.connect(ClientConfig.of(service.target(), home.resolve("trust")));
  }

  private String printed() throws Exception {
    Path log = home.resolve("client.log");
    return Files.exists(log) ? Files.readString(log) : "";
  }

  private Process startClient(ServiceProcess service, String ledger, Path key) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            ClientProcess.class.getName(),
            service.target(),
            ledger,
            key.toString(),
            home.resolve("trust").toString(),
            home.toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("client.log").toFile()))
        .start();
  }

  /// All that the round's client sent, byte for byte: what it held a receipt for gets the jsn of
  /// that receipt again, and a second repeat of anything gets what the first got.
  ///
  /// @param sent by this round's client
  private static void resubmit(ServiceProcess service, List<byte[]> sent, Set<Long> heldJsns)
      throws Exception {
    ManagedChannel channel =
        Grpc.newChannelBuilder(service.target(), InsecureChannelCredentials.create()).build();
    try (AppendStream stream = new AppendStream(channel)) {
      Set<Long> answered = new HashSet<>();
      for (AppendRequest request : submissions(sent)) {
        AppendResponse first = append(stream, request);
        if (first.hasProblem()) {
          assertThat(first.getProblem().getCode()).isEqualTo(RejectionCode.EXPIRED.wire());
          continue;
        }
        Receipted receipted = first.getReceipted();
        answered.add(receipted.getFirstJsn());
        assertThat(receipted.getRepeated() || !heldJsns.contains(receipted.getFirstJsn()))
            .as("a journal whose receipt is held was committed again")
            .isTrue();
        AppendResponse second = append(stream, request);
        if (second.hasReceipted()) {
          assertThat(second.getReceipted().getRepeated()).isTrue();
          assertThat(second.getReceipted().getFirstJsn()).isEqualTo(receipted.getFirstJsn());
        }
      }
      assertThat(answered).as("requests still within their window").isNotEmpty();
    } finally {
      channel.shutdownNow();
    }
  }

  /// One by one: a message may carry several, and their answers would share a receipt.
  private static List<AppendRequest> submissions(List<byte[]> messages) throws Exception {
    List<AppendRequest> submissions = new ArrayList<>();
    for (byte[] message : messages) {
      AppendRequest first = AppendRequest.parseFrom(message);
      submissions.add(first.toBuilder().clearMore().clearPackedAnswer().build());
      first
          .getMoreList()
          .forEach(each -> submissions.add(each.toBuilder().clearPackedAnswer().build()));
    }
    return submissions;
  }

  private static AppendResponse append(AppendStream stream, AppendRequest request)
      throws Exception {
    stream.send(request);
    return stream.nextAnswer();
  }

  private static void takeOver(LedgerHandle ledger, Records held) throws Exception {
    assertThat(ledger.trustedHead()).as("what the dead clients trusted").isPresent();
    List<byte[]> receipts = held.read();
    assertThat(receipts).hasSizeGreaterThan(HELD_PER_ROUND * ROUNDS);
    for (byte[] record : receipts) {
      ReceiptFile file = ReceiptFile.decode(Bytes.wrap(record));
      ledger.verify(file);
    }
    Books.read(ledger); // no journal stands twice
  }

  private static Set<Long> jsns(List<byte[]> receipts) throws Exception {
    Set<Long> jsns = new HashSet<>();
    for (byte[] record : receipts) {
      jsns.add(ReceiptFile.decode(Bytes.wrap(record)).receipt().proof().index());
    }
    return jsns;
  }
}
