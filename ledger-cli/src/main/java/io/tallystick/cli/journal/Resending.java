package io.tallystick.cli.journal;

import io.tallystick.cli.option.PendingFile;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.PendingRequest;
import io.tallystick.client.Resent;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Printable;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Sends again what a command signed without learning what became of it. The file goes when that is
/// known.
record Resending(ServiceOptions service, Output output, Path path) {
  /// @param ledgerId that it must be of; null: any
  /// @param keys the first signs tokens for reading
  /// @param receipts the folder to save receipts in; null: none
  /// @param proofs made of what the service gives back
  void run(@Nullable String ledgerId, List<Path> keys, @Nullable Path receipts, ProofFiles proofs)
      throws Exception {
    PendingFile file = new PendingFile(path);
    PendingRequest pending = file.read();
    if (ledgerId != null && !ServiceOptions.ledgerId(ledgerId).equals(pending.ledger())) {
      throw new UsageException(path + " is of ledger " + pending.ledger() + ", not " + ledgerId);
    }
    service.keepsIn(path);
    try (TallyClient client = service.connect()) {
      SavedReceipts saved = SavedReceipts.in(receipts); // before anything is sent
      proofs.prepare(pending.journals());
      List<ClientKey> signers = ServiceOptions.load(keys);
      switch (sent(client, pending, signers, file)) {
        case Resent.Journals(List<Resent.Standing> journals) -> {
          saved.print(journals, output);
          saved.save(journals);
          if (proofs.wanted()) {
            LedgerHandle ledger = client.open(pending.ledger(), signers.toArray(ClientKey[]::new));
            for (Resent.Standing journal : journals) {
              proofs.save(journal.jsn(), ledger.proofs().of(journal.jsn()));
            }
          }
        }
        case Resent.Founded(LedgerHandle ledger) -> print(ledger);
      }
    }
    file.delete();
  }

  private Resent sent(
      TallyClient client, PendingRequest pending, List<ClientKey> keys, PendingFile file)
      throws Exception {
    try {
      return client.resend(pending, keys.toArray(ClientKey[]::new));
    } catch (RequestRefusedException e) {
      file.delete();
      output.err().println("It was not done; " + LocalPaths.shown(path) + " is deleted.");
      throw e;
    } catch (IllegalArgumentException e) {
      throw LocalPaths.wrongForm(path, "request that this client can have sent", e);
    }
  }

  private void print(LedgerHandle ledger) throws TallyException {
    String origin = ledger.trust().genesis().origin(0);
    output.print(
        String.format(
            Locale.ROOT,
            "Founded ledger %s%norigin %s%nIts id and the service's keys are pinned.",
            ledger.id(),
            Printable.of(origin)),
        Output.object("ledgerId", ledger.id().hex(), "origin", origin));
  }
}
