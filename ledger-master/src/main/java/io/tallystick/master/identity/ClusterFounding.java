package io.tallystick.master.identity;

import io.tallystick.master.coordinated.SettledChanges;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.master.identity.OtherClusterException.Field;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.OutcomeUnknownException;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/// Founds a cluster, and gives it more shards. Either can be called again after a failure, and by
/// several at once: the identity is made once, together with all that must not be made twice. One
/// thread uses it.
public final class ClusterFounding {
  /// More shards than servers, so that a cluster can grow: a ledger never changes its shard.
  public static final int SHARDS_DEFAULT = 16;

  /// Times that shards are made again whose making was not answered.
  private static final int TRIES = 5;

  private final Coordination coordination;
  private final SettledChanges changes;
  private final ClusterPaths paths;
  private final RandomGenerator nonces;

  /// What a cluster is founded with.
  ///
  /// @param formats the version that is written of each, by name
  public record Terms(
      Authority authority, int shards, SortedMap<String, Integer> formats, KeyPairKids keys) {}

  public ClusterFounding(Coordination coordination, ClusterPaths paths, RandomGenerator nonces) {
    this.coordination = coordination;
    this.changes = new SettledChanges(coordination);
    this.paths = paths;
    this.nonces = nonces;
  }

  /// Founds the cluster, or finds it founded with the same values.
  ///
  /// @throws OtherClusterException if it is founded with others
  /// @throws IOException if it is not known how far this came
  public ClusterIdentity init(Terms terms)
      throws IOException, CorruptStreamException, OtherClusterException {
    ClusterIdentity mine =
        new ClusterIdentity(
            terms.authority,
            terms.shards,
            terms.formats,
            List.of(terms.keys),
            terms.keys,
            nonces.nextLong());
    makeIfAbsent(ClusterPaths.CLUSTERS);
    makeIfAbsent(paths.root());
    ClusterIdentity founded = mine;
    try {
      changes.commit(allAtOnce(mine));
    } catch (ChangeRefusedException e) {
      if (e.reason() != ChangeRefusedException.Reason.EXISTS) {
        throw e;
      }
      founded = founded();
    }
    requireSame(founded, terms);
    makeShards(founded.shards());
    return founded;
  }

  /// Makes the paths of a cluster that is being restored, up to its registry, which {@link
  /// io.tallystick.master.registry.RegistryRebuild} makes. No process starts in it before {@link
  /// #restored}. Can be called again.
  ///
  /// @throws ClusterExistsException if there is a cluster of that name
  public void restoring() throws IOException, ClusterExistsException {
    requireNone();
    for (String path : List.of(ClusterPaths.CLUSTERS, paths.root(), paths.beat())) {
      makeIfAbsent(path);
    }
  }

  /// @throws ClusterExistsException if there is a cluster of that name
  public void requireNone() throws IOException, ClusterExistsException {
    if (coordination.read(paths.identity()).isPresent()) {
      throw new ClusterExistsException(paths.cluster());
    }
  }

  /// Makes the identity of a cluster of which all else is restored.
  ///
  /// @throws ChangeRefusedException if it was made meanwhile
  public void restored(
      Authority authority, int shards, List<KeyPairKids> pairs, KeyPairKids present)
      throws IOException {
    ClusterIdentity identity =
        new ClusterIdentity(authority, shards, new TreeMap<>(), pairs, present, nonces.nextLong());
    makeShards(shards);
    changes.commit(
        List.of(
            new Change.Create(paths.identity(), identity.encode(), false),
            empty(paths.servers()),
            empty(paths.drained())));
  }

  private ClusterIdentity founded() throws IOException, CorruptStreamException {
    try {
      return ClusterIdentity.read(coordination, paths).identity();
    } catch (NoClusterException e) {
      throw new IOException("cluster " + paths.cluster() + " has paths and no identity", e);
    }
  }

  /// The registry is here too: a lost one must not come back empty, or a ledger could be founded
  /// twice.
  private List<Change> allAtOnce(ClusterIdentity identity) {
    List<Change> all = new ArrayList<>();
    all.add(new Change.Create(paths.identity(), identity.encode(), false));
    all.add(empty(paths.beat()));
    all.add(empty(paths.servers()));
    all.add(empty(paths.drained()));
    all.addAll(ClusterRegistry.creation(paths, nonces.nextLong()));
    return all;
  }

  private static Change empty(String path) {
    return new Change.Create(path, Bytes.EMPTY, false);
  }

  private void makeIfAbsent(String path) throws IOException {
    try {
      changes.commit(
          List.of(new Change.Create(path, SharedValue.ofNonce(nonces.nextLong()), false)));
    } catch (ChangeRefusedException e) {
      if (e.reason() != ChangeRefusedException.Reason.EXISTS) {
        throw e;
      }
    }
  }

  private void requireSame(ClusterIdentity there, Terms terms) throws OtherClusterException {
    requireSame(Field.AUTHORITY, there.authority(), terms.authority);
    requireSame(Field.SHARDS, there.shards(), terms.shards);
    requireSame(Field.FORMATS, there.formats(), terms.formats);
    if (!there.pairs().contains(terms.keys)) {
      throw new OtherClusterException(paths.cluster(), Field.KEYS, there.pairs(), terms.keys);
    }
  }

  private void requireSame(Field field, Object there, Object wanted) throws OtherClusterException {
    if (!there.equals(wanted)) {
      throw new OtherClusterException(paths.cluster(), field, there, wanted);
    }
  }

  private void makeShards(int count) throws IOException {
    List<StreamId> shards = IntStream.range(0, count).mapToObj(StreamId::new).toList();
    for (int sent = 1; ; sent++) {
      try {
        ShardClaims.found(coordination, paths, shards, nonces);
        return;
      } catch (OutcomeUnknownException e) {
        if (sent == TRIES) {
          throw e;
        }
      }
    }
  }

  /// Gives the cluster so many shards in all; fewer than it has is no change.
  ///
  /// @throws ChangeRefusedException if another changed the identity at the same time
  /// @throws IOException if it is not known how far this came
  public ClusterIdentity growTo(int shards)
      throws IOException, CorruptStreamException, NoClusterException {
    ClusterIdentity.Read read = ClusterIdentity.read(coordination, paths);
    ClusterIdentity grown = read.identity();
    if (shards > grown.shards()) {
      grown = grown.withShards(shards, nonces.nextLong());
      changes.commit(List.of(new Change.Put(paths.identity(), grown.encode(), read.version())));
    }
    makeShards(grown.shards());
    return grown;
  }
}
