package io.tallystick.cli.journal;

import io.grpc.ManagedChannel;
import io.tallystick.audit.PurgedClue;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.failure.LineageTooLongException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.lineage.ClueLineage;
import io.tallystick.client.lineage.LineageRange;
import io.tallystick.client.lineage.LineageWalk;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Commitments;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.receipt.ReceiptFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The journals of a clue that are left in a purged ledger, proven to be all of them: the clues as
/// of the purge say how many went.
///
/// @param before how many went, and by which purge
record KeptLineage(ClueLineage lineage, PurgedClue before) {
  /// @param ledger where the clue is asked for
  /// @param before as {@link #purged} has it; that its purge stands in the log is verified here
  /// @param asOf the journals among so many first leaves; null: all
  /// @throws VerificationException if the service leaves one out
  static KeptLineage read(
      LedgerHandle ledger, String clue, PurgedClue before, @Nullable TreeSize asOf)
      throws TallyException, MalformedException {
    var _ = ledger.verify(ReceiptFile.decode(before.receipt()));
    LineageWalk walk =
        ledger.walkLineage(
            clue,
            LineageRange.forwards().from(before.firstKept()).withPagesOf(LineageRange.PAGE_MAX));
    if (walk.firstIndex() != before.journals()) {
      throw new VerificationException(
          new ProofRejectedException(
              Reason.MISSING,
              String.format(
                  Locale.ROOT,
                  "a purge removed %d journals of the clue, shown are those from the %dth on",
                  before.journals(),
                  walk.firstIndex() + 1)));
    }
    TreeSize size = asOf == null ? walk.head().size() : asOf;
    List<LineageEntry> entries = entries(walk, clue, size);
    return new KeptLineage(
        new ClueLineage(clue, walk.block(), walk.state(), size, entries), before);
  }

  private static List<LineageEntry> entries(LineageWalk walk, String clue, TreeSize size)
      throws TallyException {
    List<LineageEntry> entries = new ArrayList<>();
    for (List<LineageEntry> page = walk.next(); !page.isEmpty(); page = walk.next()) {
      for (LineageEntry entry : page) {
        if (entry.jsn() >= size.value()) {
          return entries;
        }
        entries.add(entry);
      }
      if (entries.size() > LedgerHandle.LINEAGE_JOURNALS_MAX) {
        throw new LineageTooLongException(
            String.format(
                Locale.ROOT,
                "clue \"%s\" has more than %d journals that are kept",
                clue,
                LedgerHandle.LINEAGE_JOURNALS_MAX));
      }
    }
    return entries;
  }

  /// How many journals of a clue a purge removed; that the purge stands in the log is not verified.
  ///
  /// @return empty if the service says that nothing was purged
  static Optional<PurgedClue> purged(ServiceOptions service, LedgerId ledger, String clue)
      throws IOException, LogFormatException, UsageException {
    StrandId strand = new StrandId(ledger, 0);
    ManagedChannel channel = ServiceChannel.reading(service.config(), ledger);
    try {
      return PurgedClue.read(
          new RemoteLogSource(channel, strand),
          strand,
          Commitments.clueId(ledger, clue),
          SignatureProviders.best());
    } finally {
      channel.shutdownNow();
    }
  }
}
