package io.tallystick.cli.removal;

import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.AuditStatements;
import io.tallystick.audit.AuditedSnapshot;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.proposal.ProposalFile;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Progress;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.ProposalText;
import io.tallystick.client.ClientKey;
import io.tallystick.client.ServiceChannel;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Proposal;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Audits a log up to where a purge would cut it, and signs the purge only if its snapshot follows
/// from the log.
@Command(
    name = "sign",
    description = {
      "Audit the log, make the snapshot of a purge from it, and sign the proposal if it is the same.",
      "Exit status 4 if the audit finds a fault, or the snapshot is another; then nothing is signed. "
          + "Status 2 if it is the same but for who is absent: compare, and give --absent."
    },
    mixinStandardHelpOptions = true)
final class PurgeSignCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();

  @Parameters(
      paramLabel = "FILE",
      description = "The proposal, as `tally purge prepare` writes it; it gets the signature")
  private Path file = Path.of("");

  @Option(names = "--key", required = true, paramLabel = "FILE", description = "Your private key")
  private Path keyFile = Path.of("");

  @Option(
      names = "--absent",
      split = ",",
      paramLabel = "KID",
      description = "The members who are absent, as you know it: the snapshot must say the same")
  private List<String> absent = new ArrayList<>();

  @Option(
      names = "--state",
      paramLabel = "DIR",
      description =
          "The folder in which a statement of how far the audit came is kept, signed with --key; "
              + "an audit that was interrupted goes on from there")
  private @Nullable Path state;

  @Override
  public Integer call() throws Exception {
    ProposalFile saved = new ProposalFile(file);
    Proposal proposal = saved.read();
    if (!(proposal.request().extension() instanceof Extension.Purge purge)) {
      throw new UsageException(file + " proposes no purge; see `tally sign`");
    }
    ClientKey key = ClientKey.load(keyFile);
    if (proposal.signedBy(key.kid())) {
      throw new UsageException(
          String.format(
              Locale.ROOT, "key %s has signed %s already; a key signs once", key.kid(), file));
    }
    List<Digest> named = PurgePrepareCommand.kids(absent);
    output.say(ProposalText.lines(proposal));
    AuditedSnapshot audited = audit(proposal.request().strand(), purge, key);
    AuditReport report = audited.report();
    output.say(AuditText.of(report).strip());
    if (report.firstFault().isPresent()) {
      return ExitCode.EVIDENCE;
    }
    verify(audited, purge, named);
    output.say("absent   " + names(named) + ", as the snapshot says");
    Proposal signed = proposal.signedBy(key.signer());
    saved.replace(signed);
    Map<String, Object> row = ProposalText.row(signed);
    row.put("absent", named.stream().map(Digest::hex).toList());
    row.put("audit", AuditSummary.of(report));
    output.print("The snapshot follows from the log. Signed by " + key.kid(), row);
    return ExitCode.OK;
  }

  /// @throws UsageException if the snapshot is that of the log, but calls others absent
  private void verify(AuditedSnapshot audited, Extension.Purge purge, List<Digest> named)
      throws ProofRejectedException, UsageException {
    try {
      audited.verify(purge, named);
    } catch (ProofRejectedException e) {
      Optional<List<Digest>> said = audited.absentIn(purge);
      if (said.isPresent()) {
        String option =
            said.get().isEmpty()
                ? "without --absent"
                : "with --absent "
                    + said.get().stream().map(Digest::hex).collect(Collectors.joining(","));
        throw new UsageException(
            String.format(
                Locale.ROOT,
                "nothing is signed: the snapshot calls absent %s, you named %s; if that is right as you know it, sign %s",
                names(said.get()),
                names(named),
                option));
      }
      throw new ProofRejectedException(
          e.reason(), e.getMessage() + "; --absent names who is, as you know it", e);
    }
  }

  private static String names(List<Digest> kids) {
    return kids.isEmpty()
        ? "nobody"
        : kids.stream().map(Digest::hex).collect(Collectors.joining(", "));
  }

  private AuditedSnapshot audit(StrandId strand, Extension.Purge purge, ClientKey key)
      throws Exception {
    Signatures signatures = SignatureProviders.best();
    Optional<SignedHead> trusted = read.trusted(strand.ledger(), signatures);
    Progress progress = output.progress("leaves");
    AuditOptions options =
        AuditOptions.defaults().withProgress((done, total, _) -> progress.update(done, total));
    options = trusted.isPresent() ? options.withTrustedHead(trusted.get()) : options;
    options = state == null ? options : options.withFolder(state);
    Optional<AuditStatements> statements =
        state == null
            ? Optional.empty()
            : Optional.of(new AuditStatements(state, key.signer(), AuditStatements.INTERVAL));
    ManagedChannel channel = ServiceChannel.reading(read.config(), strand.ledger());
    try {
      AuditedSnapshot audited =
          new Auditor(signatures)
              .snapshot(
                  strand,
                  new RemoteLogSource(channel, strand),
                  options,
                  statements,
                  purge.firstKept().value());
      progress.end();
      return audited;
    } finally {
      channel.shutdownNow();
    }
  }
}
