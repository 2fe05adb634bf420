package io.tallystick.server.host;

import io.tallystick.node.ClueRead;
import io.tallystick.node.KeptRead;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LogRead;
import io.tallystick.node.NodeRead;
import io.tallystick.node.OutsideRead;
import io.tallystick.node.PurgeRead;
import io.tallystick.node.StateRead;
import io.tallystick.node.StateReads;
import io.tallystick.node.TimeRead;
import io.tallystick.tile.TileBundle;

/// Which answers are right only while nobody else has written the shard: those that say what is
/// newest, and those with bodies, which may be removed. Refusals for what is not there are another
/// matter ({@link StrandReads}).
final class OwnersAnswers {
  private OwnersAnswers() {}

  /// Whether what it asks for may have become something else.
  static boolean include(NodeRead<?> read) {
    return switch (read) {
      case LogRead<?> it -> includeOfLog(it);
      case ClueRead.Membership _, LedgerRead.FindSigner _, LedgerRead.IsPublic _ -> false;
      case ClueRead.Clue _ -> true;
      case ClueRead.Lineage it -> it.query().headSize() == 0;
      case StateRead<?> it -> includeOfState(it);
      case LedgerRead<?> _, TimeRead<?> _, KeptRead<?> _, PurgeRead<?> _ -> true;
      case OutsideRead<?> _ -> false;
    };
  }

  private static boolean includeOfState(StateRead<?> read) {
    return switch (read) {
      case StateRead.Key it -> it.withValue() || it.height() == StateReads.NEWEST;
      case StateRead.Keys it -> it.withValues() || it.height() == StateReads.NEWEST;
      case StateRead.Page it -> it.query().withValues() || it.query().height() == StateReads.NEWEST;
      case StateRead.History _ -> true;
    };
  }

  private static boolean includeOfLog(LogRead<?> read) {
    return switch (read) {
      case LogRead.Journal it -> it.withBody();
      case LogRead.Bundle it -> it.kind() == TileBundle.BODIES;
      case LogRead.Inclusion it -> it.size() == 0;
      case LogRead.Consistency it -> it.toSize() == 0;
      case LogRead.Proven _,
          LogRead.NewestSize _,
          LogRead.NewestBlock _,
          LogRead.Checkpoint _,
          LogRead.Erased _ ->
          true;
      case LogRead.RangeReceipt _,
          LogRead.Receipt _,
          LogRead.Tile _,
          LogRead.BlockAt _,
          LogRead.BlockOf _,
          LogRead.Certificate _ ->
          false;
    };
  }
}
