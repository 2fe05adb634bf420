package io.tallystick.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ServiceChannel;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.SignedHead;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;

/// Audits a ledger of a service in a container from outside.
final class Audits {
  private Audits() {}

  /// The whole ledger must pass.
  ///
  /// @param config with a member as its reader
  /// @param trusted a head that the ledger must continue
  static void pass(ClientConfig config, LedgerId ledger, SignedHead trusted) throws Exception {
    ManagedChannel channel = ServiceChannel.reading(config, ledger);
    try {
      AuditReport report =
          new Auditor(SignatureProviders.best())
              .audit(
                  ledger,
                  new RemoteLogSource(channel, new StrandId(ledger, 0)),
                  AuditOptions.defaults().withTrustedHead(trusted));
      assertThat(report.faults()).as(AuditText.of(report)).isEmpty();
      assertThat(report.checkpointVerified()).isTrue();
    } finally {
      channel.shutdownNow();
    }
  }
}
