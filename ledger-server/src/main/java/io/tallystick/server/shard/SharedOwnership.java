package io.tallystick.server.shard;

import io.tallystick.storage.replicated.ShardClaim;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Epochs and ownership of a shard that several servers may own: its `owner` path says both. The
/// first claim is made over whoever owns the shard, later ones over this server alone. One owner
/// thread claims, any thread asks. Source: `docs/formats/replicated.md`.
public class SharedOwnership implements Epochs, Ownership {
  private final ShardClaims claims;
  private final StreamId shard;
  private final String server;

  /// What {@link #isOurs} has seen last, if it was ours.
  private volatile ShardClaims.@Nullable Seen ours;

  private volatile @Nullable ShardClaim newest;

  /// @param server its name, which no other server of the cluster has
  public SharedOwnership(ShardClaims claims, StreamId shard, String server) {
    this.claims = claims;
    this.shard = shard;
    this.server = server;
  }

  @Override
  public long next(StreamId stream) throws IOException, CorruptStreamException {
    ShardClaims.Seen over = ours;
    ours = null;
    if (over == null && newest != null) {
      over = seenAsOurs().orElseThrow(() -> lost(stream));
    }
    ShardClaim claim = over == null ? claims.claim(stream) : claims.claim(stream, over);
    newest = claim;
    return claim.epoch();
  }

  /// The newest claim, which may be lost since; empty before the first one.
  public Optional<ShardClaim> claim() {
    return Optional.ofNullable(newest);
  }

  @Override
  public boolean isShared() {
    return true;
  }

  /// Whether the claim that stands is one of this process: another of the same name may run.
  @Override
  public boolean isOurs() throws IOException {
    try {
      ours = seenAsOurs().orElse(null);
      return ours != null;
    } catch (CorruptStreamException e) {
      throw new IOException(e);
    }
  }

  private Optional<ShardClaims.Seen> seenAsOurs() throws IOException, CorruptStreamException {
    return claims.owner(shard).filter(seen -> claims.isOwn(shard, seen));
  }

  private StreamFencedException lost(StreamId stream) {
    return new StreamFencedException(
        String.format(
            Locale.ROOT, "shard %d: another than %s has claimed it since", stream.shard(), server));
  }
}
