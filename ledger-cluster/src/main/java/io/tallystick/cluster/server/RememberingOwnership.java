package io.tallystick.cluster.server;

import io.tallystick.master.identity.ClaimChecks;
import io.tallystick.master.identity.ClaimRefusedException;
import io.tallystick.master.identity.Claimant.Remembered;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// Ownership of a shard by a server that asks before each claim whether it may, and writes down
/// what it saw.
final class RememberingOwnership extends SharedOwnership {
  private final ClaimGate gate;
  private final OwnRecord record;
  private final IntSupplier others;
  private final int shard;

  /// What was on the disk before the newest claim.
  private volatile @Nullable Remembered before;

  /// @param others how many shards the server writes beside
  RememberingOwnership(
      ShardClaims claims,
      StreamId shard,
      String server,
      ClaimGate gate,
      OwnRecord record,
      IntSupplier others) {
    super(claims, shard, server);
    this.gate = gate;
    this.record = record;
    this.others = others;
    this.shard = shard.shard();
  }

  @Override
  public long next(StreamId stream) throws IOException, CorruptStreamException {
    try {
      gate.beforeClaim(stream, record, others.getAsInt());
    } catch (ClaimRefusedException e) {
      throw new NotClaimedException(e);
    }
    record.flush();
    before = record.remembered().orElse(null);
    long epoch = super.next(stream);
    record.claimed(epoch);
    return epoch;
  }

  @Override
  public void checkEnd(long lastFrame) throws IOException {
    Optional<Remembered> seen = Optional.ofNullable(before);
    if (seen.isPresent()) {
      try {
        ClaimChecks.beforeServing(shard, seen.get(), lastFrame);
      } catch (ClaimRefusedException e) {
        throw new NotClaimedException(e);
      }
    }
  }

  @Override
  public void confirmed(long frame) {
    record.confirmed(frame);
  }
}
