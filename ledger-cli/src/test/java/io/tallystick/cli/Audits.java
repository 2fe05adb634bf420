package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditOptions;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.RemoteLogSource;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;

/// Audits from outside.
final class Audits {
  private Audits() {}

  /// Audits a whole ledger of a service that listens at `target`; it must pass.
  static AuditReport pass(String target, LedgerId ledger) throws Exception {
    ManagedChannel channel =
        Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
    try {
      AuditReport report =
          new Auditor(SignatureProviders.best())
              .audit(
                  ledger,
                  new RemoteLogSource(channel, new StrandId(ledger, 0)),
                  AuditOptions.defaults());
      assertThat(report.faults()).as(report.text()).isEmpty();
      assertThat(report.checkpointVerified()).isTrue();
      return report;
    } finally {
      channel.shutdownNow();
    }
  }
}
