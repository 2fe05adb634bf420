package io.tallystick.cli;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditOptions;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.LogCopy;
import io.tallystick.audit.LogCopySource;
import io.tallystick.audit.LogSource;
import io.tallystick.audit.RemoteLogSource;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.SignedHead;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Audits a whole ledger from outside.
@Command(
    name = "audit",
    description = {
      "Audit a whole ledger from outside: every leaf, root, block, member, signature and body.",
      "It must continue the newest head in the trust directory, if that holds one.",
      "Exit status 4 if there is a fault; the first faulty jsn is named."
    },
    mixinStandardHelpOptions = true)
final class AuditCommand implements Callable<Integer> {
  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Option(
      names = "--copy",
      paramLabel = "FILE",
      description = "Audit a saved copy of the log instead of the service")
  private @Nullable Path copy;

  @Option(
      names = "--save",
      paramLabel = "FILE",
      description = "Save a copy of the log there first, then audit that")
  private @Nullable Path save;

  @Option(names = "--threads", description = "Default: all processors")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Override
  public Integer call() throws Exception {
    LedgerId ledger = ServiceOptions.ledgerId(ledgerId);
    if (threads < 1 || threads > AuditOptions.THREADS_MAX) {
      throw new UserErrorException("--threads is 1 to " + AuditOptions.THREADS_MAX);
    }
    if (copy != null && save != null) {
      throw new UserErrorException("--copy and --save exclude each other");
    }
    if (copy != null && !Files.exists(copy)) {
      throw new NoSuchFileException(copy.toString());
    }
    Signatures signatures = SignatureProviders.best();
    Optional<SignedHead> trusted =
        TrustedLog.saved(service.config().trustDirectory(), ledger, signatures);
    ManagedChannel channel =
        Grpc.newChannelBuilder(service.target(), InsecureChannelCredentials.create()).build();
    try {
      AuditReport report = audit(signatures, source(channel, ledger), ledger, trusted);
      output.print(
          report.text().strip() + System.lineSeparator() + compared(trusted),
          object(report, trusted));
      return report.firstFault().isPresent() ? ExitCode.EVIDENCE : ExitCode.OK;
    } finally {
      channel.shutdownNow();
    }
  }

  private static String compared(Optional<SignedHead> trusted) {
    return trusted
        .map(head -> "Compared with the head of %s leaves trusted before.".formatted(head.size()))
        .orElse("No earlier head of this ledger is trusted here to compare with.");
  }

  private static Map<String, Object> object(AuditReport report, Optional<SignedHead> trusted) {
    Map<String, Object> object = Output.object("audit", report.summary());
    trusted.ifPresent(head -> object.put("trustedSize", head.size().value()));
    return object;
  }

  private LogSource source(ManagedChannel channel, LedgerId ledger) throws Exception {
    if (copy != null) {
      return new LogCopySource(copy);
    }
    RemoteLogSource remote = new RemoteLogSource(channel, new StrandId(ledger, 0));
    if (save == null) {
      return remote;
    }
    LogCopy.save(remote, save);
    return new LogCopySource(save);
  }

  private AuditReport audit(
      Signatures signatures, LogSource source, LedgerId ledger, Optional<SignedHead> trusted)
      throws Exception {
    Progress progress = new Progress(output.err(), "leaves");
    AuditOptions options =
        AuditOptions.defaults()
            .withThreads(threads)
            .withProgress((done, total, _) -> progress.update(done, total));
    AuditOptions compared = trusted.map(options::withTrustedHead).orElse(options);
    AuditReport report = new Auditor(signatures).audit(ledger, source, compared);
    progress.end();
    return report;
  }
}
