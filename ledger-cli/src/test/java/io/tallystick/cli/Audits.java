package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.ServiceChannel;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.nio.file.Path;

/// Audits from outside.
final class Audits {
  private Audits() {}

  /// Audits a whole ledger of a service that listens at `target`; it must pass.
  ///
  /// @param reader a member's key
  static AuditReport pass(String target, LedgerId ledger, ClientKey reader) throws Exception {
    // No trust store has a part in it.
    ClientConfig config = ClientConfig.of(target, Path.of("unused")).withReader(reader);
    ManagedChannel channel = ServiceChannel.reading(config, ledger);
    try {
      AuditReport report =
          new Auditor(SignatureProviders.best())
              .audit(
                  ledger,
                  new RemoteLogSource(channel, new StrandId(ledger, 0)),
                  AuditOptions.defaults());
      assertThat(report.faults()).as(AuditText.of(report)).isEmpty();
      assertThat(report.checkpointVerified()).isTrue();
      return report;
    } finally {
      channel.shutdownNow();
    }
  }
}
