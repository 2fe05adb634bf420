package io.tallystick.master.identity;

import io.tallystick.master.identity.ClaimRefusedException.Check;
import io.tallystick.master.identity.Claimant.Remembered;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.storage.replicated.ShardOwner;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Refuses a server that must not write a shard. {@link #beforeClaim} is asked before a claim, with
/// an identity read after the server was first shown; {@link #beforeServing} once the stream is
/// fenced, for only then is known how far it goes.
public final class ClaimChecks {
  /// A clock this far off ruins the order of journals' times.
  public static final Duration CLOCK_OFF_MAX = Duration.ofSeconds(10);

  /// One so far off is worth a word to the operator.
  public static final Duration CLOCK_OFF_WARNING = Duration.ofSeconds(2);

  private ClaimChecks() {}

  /// Whether a server may claim any shard, and go on writing those that it has. Asked again and
  /// again.
  public static void ofServer(ClusterIdentity identity, Claimant self)
      throws ClaimRefusedException {
    checkKeys(ClaimRefusedException.ALL, identity, self);
    checkFormats(ClaimRefusedException.ALL, identity, self);
    checkClock(ClaimRefusedException.ALL, self.clocks());
  }

  /// @param owner of the shard at the moment
  public static void beforeClaim(
      int shard, ClusterIdentity identity, ShardOwner owner, Claimant self)
      throws ClaimRefusedException {
    checkKeys(shard, identity, self);
    checkFormats(shard, identity, self);
    if (owner.isClosed()) {
      throw new ClaimRefusedException(
          Check.STATE_FORMAT,
          shard,
          owner
              .successor()
              .map(cluster -> "it is closed: its ledgers go on in cluster " + cluster)
              .orElse("it is closed: an import or a restore has it"));
    }
    if (owner.stateFormat() > self.stateFormat()) {
      throw new ClaimRefusedException(
          Check.STATE_FORMAT,
          shard,
          String.format(
              Locale.ROOT,
              "its states have format %d, this software knows %d",
              owner.stateFormat(),
              self.stateFormat()));
    }
    checkClock(shard, self.clocks());
    if (self.remembered().isPresent() && self.remembered().get().epoch() > owner.epoch()) {
      throw new ClaimRefusedException(
          Check.OWN_RECORD,
          shard,
          String.format(
              Locale.ROOT,
              "this server saw epoch %d, the cluster is in epoch %d: it was put back",
              self.remembered().get().epoch(),
              owner.epoch()));
    }
    if (self.shards() >= self.share()) {
      throw new ClaimRefusedException(
          Check.SHARE,
          shard,
          String.format(
              Locale.ROOT,
              "this server writes %d shards, its memory has room for %d",
              self.shards(),
              self.share()));
    }
  }

  private static void checkKeys(int shard, ClusterIdentity identity, Claimant self)
      throws ClaimRefusedException {
    List<KeyPairKids> lacking =
        identity.pairs().stream().filter(pair -> !self.pairs().contains(pair)).toList();
    if (!lacking.isEmpty()) {
      throw new ClaimRefusedException(
          Check.KEYS, shard, String.format(Locale.ROOT, "this server lacks key pairs %s", lacking));
    }
  }

  private static void checkFormats(int shard, ClusterIdentity identity, Claimant self)
      throws ClaimRefusedException {
    for (Map.Entry<String, Integer> format : identity.formats().entrySet()) {
      int known = self.formats().getOrDefault(format.getKey(), 0);
      if (format.getValue() > known) {
        throw new ClaimRefusedException(
            Check.FORMATS,
            shard,
            String.format(
                Locale.ROOT,
                "the cluster writes %s in format %d, this software knows %d",
                format.getKey(),
                format.getValue(),
                known));
      }
    }
  }

  private static void checkClock(int shard, ClockReadings clocks) throws ClaimRefusedException {
    long ahead = clocks.aheadMs();
    if (Math.abs(ahead) > CLOCK_OFF_MAX.toMillis()) {
      throw new ClaimRefusedException(
          Check.CLOCK,
          shard,
          String.format(
              Locale.ROOT,
              "this server's clock is %d ms %s the others', at most %d",
              Math.abs(ahead),
              ahead > 0 ? "ahead of" : "behind",
              CLOCK_OFF_MAX.toMillis()));
    }
  }

  /// @param remembered what the server saw of the shard before this claim
  /// @param lastFrame number of the last frame in the fenced stream; -1 for none
  public static void beforeServing(int shard, Remembered remembered, long lastFrame)
      throws ClaimRefusedException {
    if (remembered.frame() > lastFrame) {
      throw new ClaimRefusedException(
          Check.OWN_RECORD,
          shard,
          String.format(
              Locale.ROOT,
              "this server saw frame %d confirmed, the stream ends with frame %d",
              remembered.frame(),
              lastFrame));
    }
  }
}
