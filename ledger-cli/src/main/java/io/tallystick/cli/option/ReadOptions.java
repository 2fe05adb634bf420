package io.tallystick.cli.option;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/// Options of every command that reads a ledger from a service. A ledger is opened by verifying the
/// service's newest head against all that this user has trusted, before anything else is read.
public final class ReadOptions {
  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private MaxAgeOption maxAge = new MaxAgeOption();

  public ServiceOptions service() {
    return service;
  }

  /// For an answer that has nothing to do with the service's newest head.
  ///
  /// @param with the option by which no head is asked for
  public void checkNoAge(String with) throws UsageException {
    if (maxAge.asked()) {
      throw new UsageException(
          "--max-age is of the service's newest head, and with " + with + " none is asked for");
    }
  }

  public TallyClient connect() throws UsageException, IOException {
    return TallyClient.connect(config());
  }

  /// As {@link ServiceOptions#connectAs}.
  public TallyClient connectAs(@Nullable Path key) throws UsageException, IOException {
    return TallyClient.connect(maxAge.limit(service.configAs(key)));
  }

  public ClientConfig config() throws UsageException, IOException {
    return maxAge.limit(service.config());
  }

  public LedgerHandle open(TallyClient client, String ledger, List<Path> keys)
      throws TallyException, UsageException, IOException {
    return newest(
        client.open(
            ServiceOptions.ledgerId(ledger), ServiceOptions.load(keys).toArray(ClientKey[]::new)));
  }

  public static LedgerHandle open(TallyClient client, LedgerId ledger) throws TallyException {
    return newest(client.open(ledger));
  }

  private static LedgerHandle newest(LedgerHandle ledger) throws TallyException {
    VerifiedBlock _ = ledger.newestBlock();
    return ledger;
  }

  /// The head to trust before a log is read past the client, once the service has shown its newest.
  public Optional<SignedHead> trusted(LedgerId ledger, Signatures signatures)
      throws TallyException, UsageException, IOException {
    try (TallyClient client = connect()) {
      LedgerHandle _ = open(client, ledger);
    }
    return TrustedLog.saved(service.trust(), ledger, signatures);
  }
}
