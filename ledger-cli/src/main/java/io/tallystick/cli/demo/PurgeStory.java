package io.tallystick.cli.demo;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.AuditedSnapshot;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.ReceiptVerifier;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedBatch;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.StrandId;
import io.tallystick.removal.Snapshot;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Keeps a book of visits in a ledger of its own and purges all but the last one. They are more
/// than a bundle of the public files holds, so that nothing is left of the first ones but their
/// hashes.
final class PurgeStory {
  private static final int VISITS = 300;
  private static final Duration VALIDITY = Duration.ofDays(1);

  private final ClientKey owner;
  private final Demo.Narrator say;
  private @Nullable Purged done;

  /// @param first of the receipts, whose journal was purged
  private record Purged(LedgerId ledger, VerifiedReceipt first, long firstKept, long purge) {}

  PurgeStory(ClientKey owner, Demo.Narrator say) {
    this.owner = owner;
    this.say = say;
  }

  /// Below this jsn everything was purged.
  long firstKept() {
    return done().firstKept();
  }

  private Purged done() {
    return Objects.requireNonNull(done);
  }

  /// Founds the ledger and purges it. As everybody who signs must, the owner audits the log first
  /// and makes the snapshot from it.
  void purge(ClientConfig config) throws Exception {
    try (TallyClient client = TallyClient.connect(config)) {
      LedgerHandle ledger =
          client.createLedger("book of visits", List.of(owner), LedgerOptions.DEFAULT);
      VerifiedBatch visits =
          ledger.appendBatch(
              IntStream.rangeClosed(1, VISITS)
                  .mapToObj(visit -> JournalDraft.text("visit " + visit))
                  .toList());
      var _ = ledger.append(JournalDraft.text("the last visit"));
      // Genesis is block 0, and each append was waited for.
      Snapshot snapshot = ledger.removals().preparePurge(1, List.of());
      long firstKept = snapshot.firstKept().value();
      AuditedSnapshot audited = audited(config, ledger.id(), firstKept);
      if (!audited.snapshot().equals(Optional.of(snapshot))) {
        throw new IOException("the snapshot does not follow from the log");
      }
      Extension purge =
          new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), 0);
      VerifiedReceipt receipt =
          ledger.submit(
              ledger.proposals().draft(Kind.PURGE, purge, VALIDITY).signedBy(owner.signer()));
      done =
          new Purged(ledger.id(), visits.receipts().getFirst(), firstKept, receipt.jsn().value());
      say.say(
          String.format(
              Locale.ROOT,
              "   Kept a book of %d visits in a second ledger. Its owner audited it and purged all below journal %d.",
              VISITS + 1,
              firstKept));
    }
  }

  private static AuditedSnapshot audited(ClientConfig config, LedgerId ledger, long firstKept)
      throws Exception {
    ManagedChannel channel = ServiceChannel.reading(config, ledger);
    try {
      StrandId strand = new StrandId(ledger, 0);
      return new Auditor(SignatureProviders.best())
          .snapshot(
              strand,
              new RemoteLogSource(channel, strand),
              AuditOptions.defaults(),
              Optional.empty(),
              firstKept);
    } finally {
      channel.shutdownNow();
    }
  }

  /// Whether what is left passes the audit, reads of what is gone say so, and the receipt of what
  /// is gone verifies without the service.
  boolean prove(ClientConfig config, AuditReport left) throws Exception {
    Purged purged = done();
    boolean gone;
    try (TallyClient client = TallyClient.connect(config)) {
      gone = isPurged(client.open(purged.ledger()));
    }
    var _ =
        ReceiptVerifier.fromTrustStore(config.trustDirectory(), purged.ledger())
            .verify(purged.first().toFile());
    say.say("   Audited what is left of the second ledger, too:");
    say.say("   " + AuditText.of(left).lines().findFirst().orElseThrow());
    say.say(
        String.format(
            Locale.ROOT,
            "   Journal %s of it is answered as %s; its receipt verifies all the same, and needs no service.",
            purged.first().jsn(),
            gone ? "purged by journal " + purged.purge() : "there"));
    return gone
        && left.firstFault().isEmpty()
        && left.removals().prefix().map(AuditedRemovals.Prefix::firstKept).orElse(0L)
            == purged.firstKept();
  }

  LedgerId ledger() {
    return done().ledger();
  }

  private boolean isPurged(LedgerHandle ledger) throws Exception {
    try {
      var _ = ledger.get(done().first().jsn());
      return false;
    } catch (RequestRefusedException e) {
      if (!e.code().equals(RejectionCode.PURGED.wire())) {
        throw e;
      }
      return e.jsn().orElse(-1) == done().purge();
    }
  }
}
