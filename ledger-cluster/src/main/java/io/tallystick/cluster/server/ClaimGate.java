package io.tallystick.cluster.server;

import io.tallystick.master.identity.ClaimChecks;
import io.tallystick.master.identity.ClaimRefusedException;
import io.tallystick.master.identity.Claimant;
import io.tallystick.master.identity.ClusterIdentity;
import io.tallystick.master.identity.NoClusterException;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.presence.PresentServer;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.replicated.ShardOwner;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Asks before this server claims a shard whether it may, and again and again whether it may go on
/// writing any. Says why not, once. One thread takes the turns, any asks before a claim.
final class ClaimGate {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimGate.class);

  private final Coordination coordination;
  private final ClusterPaths paths;
  private final ShardClaims claims;
  private final Self self;
  private final ServerClock clock;
  private final PresentServers servers;
  private volatile String said = "";

  /// Until it is known better, so that a good server is shown as one from the start.
  private volatile boolean fit = true;

  /// The server that asks.
  ///
  /// @param pairs of service keys that it holds now
  /// @param formats the newest version that its software knows of each, by name
  /// @param stateFormat of the states that its software keeps
  /// @param share how many shards its memory lets it write
  record Self(
      String id,
      Supplier<List<KeyPairKids>> pairs,
      Map<String, Integer> formats,
      int stateFormat,
      int share) {}

  ClaimGate(
      Coordination coordination,
      ClusterPaths paths,
      ShardClaims claims,
      Self self,
      ServerClock clock) {
    this.coordination = coordination;
    this.paths = paths;
    this.claims = claims;
    this.self = self;
    this.clock = clock;
    this.servers = new PresentServers(coordination, paths);
  }

  /// Whether this server may write shards, to be asked after it was shown.
  boolean turn() throws IOException, CorruptStreamException {
    boolean looked = clock.look();
    Collection<PresentServer> present = servers.read().values();
    if (looked) {
      clock.warn(clock.readings(self.id(), present));
    }
    try {
      ClaimChecks.ofServer(identity(), claimant(present, Optional.empty(), 0));
      if (!said.isEmpty()) {
        LOG.info("shards are claimed again");
      }
      said = "";
      fit = true;
    } catch (ClaimRefusedException e) {
      String why = String.valueOf(e.getMessage());
      if (!why.equals(said)) {
        LOG.error("{}", why);
      }
      said = why;
      fit = false;
    }
    return fit;
  }

  /// As of the last turn.
  boolean isFit() {
    return fit;
  }

  /// Why it must not write shards, as of the last turn; empty if it may.
  String whyNot() {
    return said;
  }

  /// @param record of this server about the shard
  /// @param others how many shards it writes beside
  /// @throws ClaimRefusedException if this server must not claim the shard
  void beforeClaim(StreamId shard, OwnRecord record, int others)
      throws IOException, CorruptStreamException, ClaimRefusedException {
    ShardOwner owner =
        claims
            .owner(shard)
            .orElseThrow(() -> new IOException("there is no shard " + shard.shard()))
            .owner();
    ClaimChecks.beforeClaim(
        shard.shard(),
        identity(),
        owner,
        claimant(servers.read().values(), record.remembered(), others));
  }

  private ClusterIdentity identity() throws IOException, CorruptStreamException {
    try {
      return ClusterIdentity.read(coordination, paths).identity();
    } catch (NoClusterException e) {
      throw new IOException(e);
    }
  }

  private Claimant claimant(
      Collection<PresentServer> present, Optional<Claimant.Remembered> remembered, int others) {
    return new Claimant(
        Set.copyOf(self.pairs().get()),
        self.formats(),
        self.stateFormat(),
        clock.readings(self.id(), present),
        remembered,
        others,
        self.share());
  }
}
