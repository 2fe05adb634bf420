package io.tallystick.server.backup;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardRemovals;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// Brings a shard that serves nobody to rest: replays the frames behind its savepoint, carries out
/// what removals leave to be erased, and takes a savepoint that holds all frames. Nothing is
/// signed.
public final class SettledShard {
  private SettledShard() {}

  /// Looks at the shard.
  interface Look {
    void at(Shard shard) throws IOException, CorruptStreamException, BackupRefusedException;
  }

  public static void run(
      ShardStorage storage, ShardConfig config, BatchHasher hasher, HeadSigner signer)
      throws IOException, CorruptStreamException {
    try {
      run(storage, config, hasher, signer, _ -> {}, _ -> {});
    } catch (BackupRefusedException e) {
      throw new AssertionError("nobody refuses", e);
    }
  }

  /// @param replayed looks at it before anything is erased, `erased` behind that
  static void run(
      ShardStorage storage,
      ShardConfig config,
      BatchHasher hasher,
      HeadSigner signer,
      Look replayed,
      Look erased)
      throws IOException, CorruptStreamException, BackupRefusedException {
    try (Shard shard =
        Shard.open(
            storage,
            config,
            ArrayLimits.DEFAULT,
            hasher,
            signer,
            new SimpleMeterRegistry(),
            Runnable::run,
            (_, task) -> task.run())) {
      replayed.at(shard);
      erase(shard);
      erased.at(shard);
      end(shard);
    }
  }

  private static void erase(Shard shard) throws IOException {
    if (!shard.savepoint()) {
      throw new IOException("no savepoint can be taken", shard.endServing());
    }
    ShardRemovals.Left left = shard.erasureTurn();
    while (left == ShardRemovals.Left.MORE || left == ShardRemovals.Left.NOTED) {
      if (left == ShardRemovals.Left.NOTED && !(shard.commitTurn(0) && shard.indexTurn(0))) {
        throw new IOException("what was removed cannot be erased", shard.endServing());
      }
      left = shard.erasureTurn();
    }
    if (left == ShardRemovals.Left.FAILED) {
      throw new IOException("what was removed cannot be erased; the log says why");
    }
  }

  private static void end(Shard shard) throws IOException {
    shard.closeIntake();
    boolean more = true;
    while (more) {
      more = shard.commitTurn(0);
    }
    more = true;
    while (more) {
      more = shard.indexTurn(0);
    }
    Throwable failure = shard.endServing();
    if (failure != null) {
      throw new IOException("the shard does not close: " + failure.getMessage(), failure);
    }
  }
}
