package example;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.ReceiptVerifier;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedBatch;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.TallyException;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Keeps invoices in a ledger, and shows one to somebody who has only its receipt and the ledger's
/// id.
public final class Invoices {
  private static final String CUSTOMER = "customer 17";

  private final Path home;

  private Invoices(Path home) {
    this.home = home;
  }

  public static void main(String[] args) throws TallyException, IOException {
    if (args.length != 2) {
      System.err.println("usage: Invoices HOST:PORT FOLDER");
      System.exit(2);
    }
    Invoices invoices = new Invoices(Path.of(args[1]));
    LedgerId ledger = invoices.write(args[0]);
    invoices.showOffline(ledger);
  }

  /// What has returned is committed, and its proof was verified.
  private LedgerId write(String target) throws TallyException, IOException {
    ClientKey key = key();
    ClientConfig config = ClientConfig.of(target, home.resolve("trust"));
    try (TallyClient client = TallyClient.connect(config)) {
      LedgerHandle ledger = client.createLedger("invoices", List.of(key), LedgerOptions.DEFAULT);
      System.out.println("ledger " + ledger.id());

      VerifiedReceipt receipt =
          ledger.append(JournalDraft.text("invoice 1: 120.00").withClues(List.of(CUSTOMER)));
      Files.write(home.resolve("invoice.receipt"), receipt.toFile().encode().toArray());
      System.out.println("invoice 1 is journal " + receipt.jsn());

      // One signature for all, and all or none.
      VerifiedBatch batch =
          ledger.appendBatch(
              List.of(
                  JournalDraft.text("invoice 2: 9.90"),
                  JournalDraft.text("invoice 3: 77.00").withClues(List.of(CUSTOMER))));
      System.out.println("invoices 2 and 3 end at journal " + batch.lastJsn());

      LedgerJournal first = ledger.get(receipt.jsn());
      System.out.println("journal " + first.jsn() + " has signers " + first.signers());
      System.out.println(CUSTOMER + " has " + ledger.lineage(CUSTOMER).entries().size() + " invoices");
      return ledger.id();
    }
  }

  /// An application's key is made once, and kept.
  private ClientKey key() throws IOException {
    Path file = home.resolve("key.pem");
    if (Files.exists(file)) {
      return ClientKey.load(file);
    }
    ClientKey key = ClientKey.generate();
    Files.createDirectories(file.toAbsolutePath().getParent());
    key.save(file);
    return key;
  }

  /// Elsewhere and later, without the service.
  private void showOffline(LedgerId ledger) throws TallyException, IOException {
    ReceiptVerifier verifier = ReceiptVerifier.fromTrustStore(home.resolve("trust"), ledger);
    Bytes saved = Bytes.wrap(Files.readAllBytes(home.resolve("invoice.receipt")));
    SignedHead head = verifier.verify(saved);
    System.out.println("the receipt holds in the ledger of " + head.size() + " leaves");
  }
}
