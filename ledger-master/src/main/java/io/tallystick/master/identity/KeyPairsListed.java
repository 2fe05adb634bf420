package io.tallystick.master.identity;

import io.tallystick.master.coordinated.ReadsBehindWrites;
import io.tallystick.master.coordinated.SettledChanges;
import io.tallystick.master.identity.KeysRefusedException.Reason;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.presence.PresentServer;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/// The key pairs of a cluster. A pair is listed once every server that is there holds it, and every
/// owner is there: one whose session has ended may still write, and claims nothing when it appears
/// again. A server that appears, or claims, while a pair is being listed makes the listing look
/// again; one that appears later sees it listed before it claims. One thread uses it.
public final class KeyPairsListed {
  /// Times that a listing looks again because a server appeared.
  private static final int TRIES = 20;

  private final Coordination coordination;
  private final SettledChanges changes;
  private final ReadsBehindWrites reads;
  private final PresentServers servers;
  private final ShardClaims owners;
  private final ClusterPaths paths;
  private final RandomGenerator nonces;

  public KeyPairsListed(Coordination coordination, ClusterPaths paths, RandomGenerator nonces) {
    this.coordination = coordination;
    this.changes = new SettledChanges(coordination);
    this.reads = new ReadsBehindWrites(coordination, paths.beat(), nonces);
    this.servers = new PresentServers(coordination, paths);
    this.owners = new ShardClaims(coordination, paths, new ShardClaims.Server("", "", 0), nonces);
    this.paths = paths;
    this.nonces = nonces;
  }

  /// Lists a pair; one that is listed already is no error.
  ///
  /// @throws KeysRefusedException naming the servers that do not hold it
  /// @throws ChangeRefusedException if servers came and went, or the identity was changed, however
  ///   often this looked
  public ClusterIdentity list(KeyPairKids pair)
      throws IOException, CorruptStreamException, NoClusterException, KeysRefusedException {
    for (int tried = 1; ; tried++) {
      reads.catchUp();
      ClusterIdentity.Read read = ClusterIdentity.read(coordination, paths);
      if (read.identity().pairs().contains(pair)) {
        return read.identity();
      }
      int appeared = appearances();
      List<Change> together = new ArrayList<>();
      together.add(new Change.Check(paths.servers(), appeared));
      Map<String, PresentServer> present = servers.read();
      requireHeld(pair, present.values());
      together.addAll(ownersThere(pair, read.identity().shards(), present.keySet()));
      List<KeyPairKids> pairs = new ArrayList<>(read.identity().pairs());
      requireRoom(pairs.size());
      pairs.add(pair);
      ClusterIdentity longer =
          read.identity().withPairs(pairs, read.identity().present(), nonces.nextLong());
      try {
        together.add(new Change.Put(paths.identity(), longer.encode(), read.version()));
        changes.commit(together);
        return longer;
      } catch (ChangeRefusedException e) {
        if (tried == TRIES) {
          throw e;
        }
      }
    }
  }

  /// The version of the path that each server writes when it appears.
  private int appearances() throws IOException {
    return coordination
        .read(paths.servers())
        .map(Versioned::version)
        .orElseThrow(() -> new IOException("there is no " + paths.servers()));
  }

  private static void requireHeld(KeyPairKids pair, Collection<PresentServer> present)
      throws KeysRefusedException {
    if (present.isEmpty()) {
      throw new KeysRefusedException(
          Reason.NO_SERVER, List.of(), "no server is there to hold key pair " + pair);
    }
    List<String> lacking =
        present.stream()
            .filter(server -> !server.pairs().contains(pair))
            .map(PresentServer::id)
            .toList();
    if (!lacking.isEmpty()) {
      throw new KeysRefusedException(
          Reason.NOT_HELD,
          lacking,
          String.format(Locale.ROOT, "key pair %s is not held by %s", pair, lacking));
    }
  }

  /// That the owners stay those that were seen.
  private List<Change> ownersThere(KeyPairKids pair, int shards, Set<String> present)
      throws IOException, CorruptStreamException, KeysRefusedException {
    List<Change> checks = new ArrayList<>();
    Set<String> absent = new TreeSet<>();
    for (int shard = 0; shard < shards; shard++) {
      StreamId id = new StreamId(shard);
      ShardClaims.Seen seen =
          owners.owner(id).orElseThrow(() -> new IOException("there is no " + paths.owner(id)));
      if (seen.owner().epoch() > 0 && !present.contains(seen.owner().server())) {
        absent.add(seen.owner().server());
      }
      checks.add(new Change.Check(paths.owner(id), seen.version()));
    }
    if (!absent.isEmpty()) {
      throw new KeysRefusedException(
          Reason.NOT_HELD,
          List.copyOf(absent),
          String.format(
              Locale.ROOT,
              "whether key pair %s is held by %s, which own shards, is not known: they are not there",
              pair,
              absent));
    }
    return checks;
  }

  private static void requireRoom(int listed) throws KeysRefusedException {
    if (listed == KeyPairKids.PAIRS_MAX) {
      throw new KeysRefusedException(
          Reason.TOO_MANY, List.of(), listed + " key pairs are listed already");
    }
  }

  /// Has new ledgers name a listed pair.
  ///
  /// @throws KeysRefusedException if it is not listed
  /// @throws ChangeRefusedException if another changed the identity at the same time
  public ClusterIdentity makePresent(KeyPairKids pair)
      throws IOException, CorruptStreamException, NoClusterException, KeysRefusedException {
    reads.catchUp();
    ClusterIdentity.Read read = ClusterIdentity.read(coordination, paths);
    ClusterIdentity there = read.identity();
    if (!there.pairs().contains(pair)) {
      throw new KeysRefusedException(
          Reason.NOT_LISTED, List.of(), "key pair " + pair + " is not listed");
    }
    if (there.present().equals(pair)) {
      return there;
    }
    ClusterIdentity changed = there.withPairs(there.pairs(), pair, nonces.nextLong());
    changes.commit(List.of(new Change.Put(paths.identity(), changed.encode(), read.version())));
    return changed;
  }
}
