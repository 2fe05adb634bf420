package io.tallystick.audit.history;

import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import java.util.Locale;

/// From which block on the clue trie is on, by genesis or by an owner's parameters journal. Not
/// thread-safe.
final class FeatureReplay {
  private long clueTrieFrom;

  FeatureReplay(GenesisParams genesis) {
    clueTrieFrom = genesis.features().contains(Feature.CLUE_TRIE) ? 0 : AuditStatement.NEVER;
  }

  /// Height of the first block that may name clues; {@link AuditStatement#NEVER} if none is known.
  long clueTrieFrom() {
    return clueTrieFrom;
  }

  /// Takes what a statement says for what genesis says.
  void restore(long height) {
    clueTrieFrom = height;
  }

  /// A change of parameters that stands in the block of `height`.
  void apply(long jsn, long height, Extension.Parameters change) throws FaultException {
    if (change.firstHeight() <= height) {
      throw invalid(
          jsn,
          String.format(
              Locale.ROOT, "firstHeight is %d in block %d", change.firstHeight(), height));
    }
    for (Feature feature : change.features()) {
      switch (feature) {
        case CLUE_TRIE -> {
          if (clueTrieFrom != AuditStatement.NEVER) {
            throw invalid(jsn, "the clue trie is on from block " + clueTrieFrom + " already");
          }
          clueTrieFrom = change.firstHeight();
        }
        case STATE_FOREST, MONO, DELEGATED, PERMANENT ->
            throw invalid(jsn, feature + " can only be chosen when a ledger is founded");
      }
    }
  }

  void checkClues(long jsn, long height) throws FaultException {
    if (clueTrieFrom == AuditStatement.NEVER || height < clueTrieFrom) {
      throw new FaultException(
          jsn,
          FaultKind.FEATURE_NOT_ENABLED,
          String.format(
              Locale.ROOT,
              "it names clues in block %d, the clue trie is %s",
              height,
              clueTrieFrom == AuditStatement.NEVER ? "off" : "on from " + clueTrieFrom));
    }
  }

  private static FaultException invalid(long jsn, String detail) {
    return new FaultException(jsn, FaultKind.PARAMETERS_INVALID, detail);
  }
}
