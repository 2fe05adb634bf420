package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.ReceiptVerifier;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: appends go on while an owner rotates a ledger's service keys, and every receipt made
/// before, during and after verifies offline. Method: writers with clients of their own against a
/// real service; the command line makes keys and rotates under them; then all receipts are verified
/// from genesis and the key chain, without the service, and the log is audited.
class RotationUnderLoadTest {
  private static final int WRITERS = 3;
  private static final int ROTATIONS = 3;
  private static final int RECEIPTS_BETWEEN = 90;

  @TempDir private Path home;
  private final Semaphore receipts = new Semaphore(0);
  private final AtomicBoolean enough = new AtomicBoolean();

  private RunningService start() throws Exception {
    return TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
  }

  /// Appends until it is told that it is enough.
  private Callable<List<Bytes>> writer(String target, LedgerId id, ClientKey owner, int number) {
    return () -> {
      List<Bytes> files = new ArrayList<>();
      try (TallyClient client =
          TallyClient.connect(ClientConfig.of(target, home.resolve("trust-" + number)))) {
        LedgerHandle ledger = client.open(id, owner);
        while (!enough.get()) {
          String text = number + " " + files.size();
          files.add(
              (number == 0
                      ? ledger
                          .appendBatch(List.of(JournalDraft.text(text), JournalDraft.text("b")))
                          .receipt(1)
                      : ledger.append(JournalDraft.text(text)))
                  .toFile()
                  .encode());
          receipts.release();
        }
      }
      return files;
    };
  }

  private static String field(JsonNode json, String name) {
    return json.get(name).stringValue();
  }

  private void rotate(Cli cli, String ledger, Path owner) {
    JsonNode pair = Cli.run("keys", "new", "--data", home.resolve("data"), "--json").json();
    cli.call(
            "keys",
            "rotate",
            ledger,
            "--note-key",
            field(pair, "noteSpki"),
            "--receipt-key",
            field(pair, "receiptSpki"),
            "--key",
            owner)
        .hasStatus(0);
  }

  @Test
  void everyReceiptVerifiesOfflineWhileAppendsGoOn() throws Exception {
    Path owner = home.resolve("owner.pem");
    Path chain = home.resolve("chain");
    Path genesis = home.resolve("genesis");
    Cli.run("keygen", owner).hasStatus(0);
    List<Bytes> files = new ArrayList<>();
    String ledger;
    try (RunningService service = start();
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
      Cli cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(owner);
      ledger =
          field(cli.call("ledger", "create", "load", "--key", owner, "--json").json(), "ledgerId");
      List<Future<List<Bytes>>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        writers.add(
            threads.submit(
                writer(service.target(), LedgerId.fromHex(ledger), ClientKey.load(owner), i)));
      }
      for (int i = 0; i < ROTATIONS; i++) {
        receipts.acquire(RECEIPTS_BETWEEN);
        rotate(cli, ledger, owner);
      }
      receipts.acquire(RECEIPTS_BETWEEN);
      enough.set(true);
      for (Future<List<Bytes>> writer : writers) {
        files.addAll(writer.get());
      }
      cli.call("keys", "chain", ledger, "--out", chain).hasStatus(0);
      cli.call("audit", ledger).hasStatus(0);
      cli.call("export", ledger, home.resolve("public")).hasStatus(0);
    }
    Files.copy(home.resolve("trust").resolve(ledger).resolve("genesis"), genesis);
    assertThat(home.resolve("public").resolve("key-chain")).hasSameBinaryContentAs(chain);
    checkAll(ReceiptVerifier.of(LedgerId.fromHex(ledger), bytes(genesis)), bytes(chain), files);
    checkByCommand(ledger, genesis, chain, files.getLast());
  }

  private static Bytes bytes(Path file) throws Exception {
    return Bytes.wrap(Files.readAllBytes(file));
  }

  private static void checkAll(ReceiptVerifier genesisAlone, Bytes chain, List<Bytes> files)
      throws Exception {
    ReceiptVerifier verifier = genesisAlone.withKeyChain(chain);
    List<ServiceKeys.Term> terms = verifier.trust().keys().terms();
    assertThat(terms).hasSize(ROTATIONS + 1);
    int[] byTerm = new int[terms.size()];
    for (Bytes file : files) {
      SignedHead head = verifier.verify(file);
      int term = terms.size() - 1;
      while (terms.get(term).above().compareTo(head.size()) >= 0) {
        term--;
      }
      byTerm[term]++;
      assertThat(verifies(genesisAlone, file)).as("by the keys of genesis").isEqualTo(term == 0);
    }
    for (int count : byTerm) {
      assertThat(count).as("receipts by each pair of keys").isGreaterThanOrEqualTo(1);
    }
  }

  private static boolean verifies(ReceiptVerifier verifier, Bytes file) {
    try {
      verifier.verify(file);
      return true;
    } catch (VerificationException e) {
      assertThat(e).hasMessageContaining("WRONG_KEY");
      return false;
    }
  }

  /// The newest receipt, in a folder that no client ever wrote to.
  private void checkByCommand(String ledger, Path genesis, Path chain, Bytes file)
      throws Exception {
    Path receipt = home.resolve("newest.receipt");
    Files.write(receipt, file.toArray());
    long jsn = ReceiptFile.decode(file).receipt().proof().index();
    Cli nobody = new Cli("127.0.0.1:1", home.resolve("nobody").toString());
    Object[] verify = {"verify", ledger, "--receipt", receipt, "--genesis", genesis, "--json"};
    nobody.call(verify).hasStatus(ExitCode.EVIDENCE);
    Object[] withChain = Arrays.copyOf(verify, verify.length + 2);
    withChain[verify.length] = "--key-chain";
    withChain[verify.length + 1] = chain;
    JsonNode shown = nobody.call(withChain).json();
    assertThat(shown.get("rotations").intValue()).isEqualTo(ROTATIONS);
    assertThat(shown.get("receipts").get(0).get("jsn").longValue()).isEqualTo(jsn);
  }
}
