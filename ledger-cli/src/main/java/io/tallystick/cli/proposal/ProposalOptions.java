package io.tallystick.cli.proposal;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.ProposalText;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The options of every new proposal: its ledger, how long it may wait, and where it is written.
public final class ProposalOptions {
  private static final int FIRST_STRAND = 0;
  private static final long DAYS_MAX = Duration.ofMillis(Limits.GOVERNANCE_WINDOW_MS_MAX).toDays();

  @Mixin private Output output = new Output();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id, 64 hex digits")
  private String ledgerId = "";

  @Option(
      names = "--out",
      required = true,
      paramLabel = "FILE",
      description = "The file to write, which must not exist")
  private Path out = Path.of("");

  @Option(
      names = "--days",
      defaultValue = "7",
      paramLabel = "N",
      description = "How long it can be submitted, 1 to 30 days. Default: ${DEFAULT-VALUE}")
  private long days;

  public LedgerId ledger() throws UsageException {
    return ServiceOptions.ledgerId(ledgerId);
  }

  public void write(Kind kind, Extension extension) throws IOException, UsageException {
    write(kind, extension, List.of(), Map.of());
  }

  /// @param lines that say more of what is asked for
  /// @param more the same for JSON
  public void write(Kind kind, Extension extension, List<String> lines, Map<String, ?> more)
      throws IOException, UsageException {
    if (days < 1 || days > DAYS_MAX) {
      throw new UsageException("--days is 1 to " + DAYS_MAX);
    }
    byte[] salt = new byte[Limits.SALT_BYTES];
    new SecureRandom().nextBytes(salt);
    long now = System.currentTimeMillis();
    StrandId strand = new StrandId(ledger(), FIRST_STRAND);
    Proposal proposal =
        Proposal.of(
            RequestDraft.govern(strand, kind, extension, now, Bytes.wrap(salt))
                .withExpiry(now + Duration.ofDays(days).toMillis())
                .build());
    new ProposalFile(out).create(proposal);
    Map<String, Object> row = ProposalText.row(proposal);
    row.putAll(more);
    List<String> text = new ArrayList<>(List.of(ProposalText.lines(proposal)));
    text.addAll(lines);
    text.add(String.format(Locale.ROOT, "Written to %s.", LocalPaths.shown(out)));
    output.print(String.join(System.lineSeparator(), text), row);
  }
}
