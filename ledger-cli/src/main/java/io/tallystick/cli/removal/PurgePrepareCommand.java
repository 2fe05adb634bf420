package io.tallystick.cli.removal;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.proposal.ProposalOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.TallyClient;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Limits;
import io.tallystick.model.Digest;
import io.tallystick.removal.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Has a service make the snapshot of a purge, and writes the proposal that names it.
@Command(
    name = "prepare",
    description = {
      "Propose to remove all journals up to a block.",
      "The service makes a snapshot of what stays; those who sign make it again from the log."
    },
    mixinStandardHelpOptions = true)
final class PurgePrepareCommand implements Callable<Integer> {
  private static final long RECALL_DAYS_MAX = Duration.ofMillis(Limits.RECALL_MS_MAX).toDays();

  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private ProposalOptions proposal = new ProposalOptions();

  @Option(
      names = "--height",
      required = true,
      paramLabel = "N",
      description = "The last block that goes, from 1")
  private long height;

  @Option(
      names = "--absent",
      split = ",",
      paramLabel = "KID",
      description = "Affected members who cannot sign; a regulator signs in their place")
  private List<String> absent = new ArrayList<>();

  @Option(
      names = "--recall-days",
      defaultValue = "7",
      paramLabel = "N",
      description =
          "How long an owner can take the purge back, 0 to 90 days; until then nothing is erased. "
              + "Default: ${DEFAULT-VALUE}")
  private long recallDays;

  @Override
  public Integer call() throws Exception {
    if (recallDays < 0 || recallDays > RECALL_DAYS_MAX) {
      throw new UsageException("--recall-days is 0 to " + RECALL_DAYS_MAX);
    }
    if (height < 1) {
      throw new UsageException("--height is 1 or more");
    }
    Snapshot snapshot;
    try (TallyClient client = read.connect()) {
      snapshot =
          ReadOptions.open(client, proposal.ledger()).removals().preparePurge(height, kids(absent));
    }
    Extension purge =
        new Extension.Purge(
            snapshot.firstKept(),
            snapshot.height(),
            snapshot.digest(),
            Duration.ofDays(recallDays).toMillis());
    List<String> lines = new ArrayList<>();
    snapshot.affected().stream()
        .filter(kid -> !snapshot.absent().contains(kid))
        .forEach(kid -> lines.add("to sign  " + kid));
    snapshot.absent().forEach(kid -> lines.add("absent   " + kid + ", a regulator signs"));
    lines.add("and      an owner, if none is among them");
    lines.add("So says the service; `tally purge sign` finds out from the log.");
    proposal.write(
        Kind.PURGE,
        purge,
        lines,
        Map.of(
            "affected", snapshot.affected().stream().map(Digest::hex).toList(),
            "absent", snapshot.absent().stream().map(Digest::hex).toList()));
    return ExitCode.OK;
  }

  /// @throws UsageException if one is no kid
  static List<Digest> kids(List<String> texts) throws UsageException {
    List<Digest> kids = new ArrayList<>(texts.size());
    for (String text : texts) {
      try {
        kids.add(Digest.fromHex(text));
      } catch (IllegalArgumentException e) {
        throw new UsageException("--absent " + text + " is no kid: want 64 hex digits");
      }
    }
    return kids;
  }
}
