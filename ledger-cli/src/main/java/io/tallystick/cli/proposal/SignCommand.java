package io.tallystick.cli.proposal;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.ProposalText;
import io.tallystick.client.ClientKey;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Adds a signature to a proposal.
@Command(
    name = "sign",
    description = {
      "Show what a proposal asks for and sign it, without a service.",
      "Without --key it is only shown. A purge is signed with `tally purge sign`, which audits the "
          + "log first."
    },
    mixinStandardHelpOptions = true)
public final class SignCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();

  @Parameters(
      paramLabel = "FILE",
      description = "The proposal, as `tally propose` writes it; it gets the signature")
  private Path file = Path.of("");

  @Option(names = "--key", paramLabel = "FILE", description = "Your private key")
  private @Nullable Path keyFile;

  @Override
  public Integer call() throws Exception {
    ProposalFile saved = new ProposalFile(file);
    Proposal proposal = saved.read();
    Path from = keyFile;
    if (from == null) {
      output.print(ProposalText.lines(proposal), ProposalText.row(proposal));
      return ExitCode.OK;
    }
    if (proposal.request().kind() == Kind.PURGE) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "%s proposes a purge: whoever signs it makes its snapshot from the log first, as `tally purge sign %s --key %s` does",
              file,
              file,
              from));
    }
    ClientKey key = ClientKey.load(from);
    output.say(ProposalText.lines(proposal));
    Proposal signed = signed(proposal, key);
    saved.replace(signed);
    output.print("Signed   by " + key.kid(), ProposalText.row(signed));
    return ExitCode.OK;
  }

  private Proposal signed(Proposal proposal, ClientKey key) throws UsageException {
    long expiresMs = proposal.request().expiresMs();
    if (System.currentTimeMillis() > expiresMs) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "%s expired at %s; make a new proposal",
              file,
              Instant.ofEpochMilli(expiresMs)));
    }
    if (proposal.signedBy(key.kid())) {
      throw new UsageException(
          String.format(
              Locale.ROOT, "key %s has signed %s already; a key signs once", key.kid(), file));
    }
    try {
      return proposal.signedBy(key.signer());
    } catch (IllegalArgumentException e) {
      // It has as many signatures as its kind takes.
      throw new UsageException(file + ": " + e.getMessage());
    }
  }
}
