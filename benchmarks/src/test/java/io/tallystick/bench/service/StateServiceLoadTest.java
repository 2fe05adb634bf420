package io.tallystick.bench.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the client of the case `service` founds ledgers and gets batches committed and verified.
/// Method: a real service and some batches without puts.
@Tag("long")
class StateServiceLoadTest {
  private final Signer signer = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);

  @TempDir private Path home;

  @Test
  void foundsALedgerAndVerifiesEveryReceipt() throws Exception {
    try (ServiceProcess service =
            ServiceProcess.start(home.resolve("data"), home.resolve("service.log"));
        StateClient client = new StateClient(service.target(), ClientKey.of(signer), signer)) {
      StateServiceLoad load = client.load(client.found("plain", false), false);
      load.awaitAcknowledged(5_000);
      load.stop();
      assertThat(load.acknowledged()).isGreaterThanOrEqualTo(5_000).isEqualTo(load.sent());
    }
  }
}
