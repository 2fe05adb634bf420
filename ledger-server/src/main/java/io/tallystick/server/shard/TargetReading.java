package io.tallystick.server.shard;

import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.seal.OccultTargets;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.JsnSet;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Locale;

/// Which journals an occult names, as far as sealed journals say it for good: only those that are
/// sealed can be named.
final class TargetReading {
  private TargetReading() {}

  /// @throws RequestRejectedException `TARGET_INVALID` naming the jsn: it is not sealed, no journal
  ///   of kind 1 or 2, or has another leaf hash; or no journal names the clue
  static JsnSet of(StrandIndex strand, LogReader log, ErasureTarget target)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long size = strand.head().size();
    switch (target) {
      case ErasureTarget.Journals journals -> {
        for (JournalRef named : journals.named()) {
          check(strand, log, size, named);
        }
      }
      case ErasureTarget.OfClue(Digest clueId, Jsn first, Jsn last) -> {
        if (last.value() >= size) {
          throw notSealed(last.value(), size);
        }
        if (!strand
            .head()
            .governance()
            .features()
            .isOn(Feature.CLUE_TRIE, strand.head().blocks())) {
          throw new RequestRejectedException(
              RejectionCode.TARGET_INVALID, "the ledger has no clues, and so none of " + clueId);
        }
      }
    }
    JsnSet targets = OccultTargets.find(strand, target, size);
    if (targets.isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.TARGET_INVALID, "no journal in that range names the clue");
    }
    return targets;
  }

  private static void check(StrandIndex strand, LogReader log, long size, JournalRef named)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long jsn = named.jsn().value();
    if (jsn >= size) {
      throw notSealed(jsn, size);
    }
    Digest leafHash = strand.accumulator().leafHash(jsn);
    if (!leafHash.equals(named.leafHash())) {
      throw invalid(
          jsn,
          String.format(
              Locale.ROOT, "journal %d has leaf hash %s, not %s", jsn, leafHash, named.leafHash()));
    }
    try {
      String what =
          switch (Leaf.decode(log.journal(strand, jsn, false).leaf())) {
            case JournalLeaf leaf -> {
              Kind kind = RequestHeader.decode(leaf.header()).kind();
              yield kind.governance() ? "a journal of kind " + kind : "";
            }
            default -> "genesis or a seal";
          };
      if (!what.isEmpty()) {
        throw invalid(
            jsn,
            String.format(Locale.ROOT, "leaf %d is %s, which has no body to erase", jsn, what));
      }
    } catch (MalformedException e) {
      throw new RequestRejectedException(
              RejectionCode.DAMAGED,
              String.format(Locale.ROOT, "leaf %d: %s", jsn, e.getMessage()),
              e)
          .atJsn(jsn);
    }
  }

  private static RequestRejectedException notSealed(long jsn, long size) {
    return invalid(
        jsn,
        String.format(
            Locale.ROOT, "journal %d is not sealed; the newest head has size %d", jsn, size));
  }

  private static RequestRejectedException invalid(long jsn, String detail) {
    return new RequestRejectedException(RejectionCode.TARGET_INVALID, detail).atJsn(jsn);
  }
}
