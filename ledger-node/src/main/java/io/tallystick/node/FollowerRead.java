package io.tallystick.node;

/// Whether somebody who follows a shard may answer a question.
public enum FollowerRead {
  /// The owner alone: it asks for the newest, for members, or for what notes change.
  NEVER,

  /// It asks for hashes, proofs and blocks of a size, a jsn or a height that it names. They never
  /// change.
  ALWAYS,

  /// It names a jsn and asks for what an erasure takes away.
  UP_TO_DATE;

  public static FollowerRead of(NodeRead<?> read) {
    return switch (read) {
      case LogRead<?> it -> ofLog(it);
      case LedgerRead<?> _, ClueRead<?> _, StateRead<?> _, TimeRead<?> _, KeptRead<?> _ -> NEVER;
      case PurgeRead<?> _, OutsideRead<?> _ -> NEVER;
    };
  }

  private static FollowerRead ofLog(LogRead<?> read) {
    return switch (read) {
      case LogRead.Journal _, LogRead.Bundle _ -> UP_TO_DATE;
      case LogRead.Proven it -> it.size() == 0 ? NEVER : UP_TO_DATE;
      case LogRead.Inclusion it -> it.size() == 0 ? NEVER : ALWAYS;
      case LogRead.Consistency it -> it.toSize() == 0 ? NEVER : ALWAYS;
      case LogRead.RangeReceipt _,
          LogRead.Receipt _,
          LogRead.Tile _,
          LogRead.BlockAt _,
          LogRead.BlockOf _ ->
          ALWAYS;
      case LogRead.NewestSize _,
          LogRead.NewestBlock _,
          LogRead.Checkpoint _,
          LogRead.Erased _,
          LogRead.Certificate _ ->
          NEVER;
    };
  }
}
