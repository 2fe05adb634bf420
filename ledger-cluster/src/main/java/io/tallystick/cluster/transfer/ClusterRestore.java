package io.tallystick.cluster.transfer;

import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.ClusterTLedger;
import io.tallystick.cluster.ShardPlaces;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.master.identity.ClusterExistsException;
import io.tallystick.master.identity.ClusterFounding;
import io.tallystick.master.identity.ClusterIdentity;
import io.tallystick.master.identity.NoClusterException;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.registry.LedgerInTwoShardsException;
import io.tallystick.master.registry.RegistryRebuild;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.node.Backups;
import io.tallystick.server.backup.BackupManifest;
import io.tallystick.server.backup.BackupRefusedException;
import io.tallystick.server.backup.BackupRefusedException.Reason;
import io.tallystick.server.backup.ShardRestore;
import io.tallystick.server.backup.SharedShardBackup;
import io.tallystick.server.host.ImportRefusedException;
import io.tallystick.server.host.LocalRestore;
import io.tallystick.server.host.Nested;
import io.tallystick.server.host.ShardImport;
import io.tallystick.server.keys.RecordedKeys;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.storage.replicated.ReplicatedLogs;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.replicated.ShardFence;
import io.tallystick.storage.replicated.ShardNotEmptyException;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/// Makes a new cluster of a backup. The old one is closed first, so that no ledger goes on in both.
/// Nothing starts in the new one before all of it is there; cut short, it is done again with the
/// same folder. One thread's.
public final class ClusterRestore {
  private final Path backup;
  private final Path keys;
  private final Path work;
  private final ReplicatedLogs logs;
  private final Signatures signatures;
  private final BatchHasher hasher;
  private final RandomGenerator nonces;

  /// What was restored.
  public record Restored(int shards, int ledgers, long takenMs) {}

  /// @param keys folder of the service's keys
  /// @param work a folder with room for all shards, kept until all is done; not there, empty, or
  ///   left by a restore of the same backup
  /// @param nonces a secure source
  public ClusterRestore(
      Path backup,
      Path keys,
      Path work,
      ReplicatedLogs logs,
      Signatures signatures,
      BatchHasher hasher,
      RandomGenerator nonces) {
    this.backup = backup;
    this.keys = keys;
    this.work = work;
    this.logs = logs;
    this.signatures = signatures;
    this.hasher = hasher;
    this.nonces = nonces;
  }

  /// Connects to a cluster of some name, which need not be there.
  @FunctionalInterface
  public interface Clusters {
    ClusterConnection open(String name) throws IOException;
  }

  /// @param to name of the new cluster
  /// @param oldIsGone nobody can start a process of the old cluster any more
  /// @param acceptRollback what was acknowledged behind the backup may be lost
  /// @throws BackupRefusedException naming what is wrong
  /// @throws ClusterExistsException if there is a cluster of the new name; nothing is closed
  /// @throws ImportRefusedException if a shard of the new name has something else
  /// @throws CorruptStreamException if a shard of the backup contradicts itself
  public Restored run(
      Clusters clusters,
      String to,
      boolean oldIsGone,
      boolean acceptRollback,
      LocalRestore.Watch watch)
      throws IOException,
          BackupRefusedException,
          CorruptStreamException,
          ClusterExistsException,
          ImportRefusedException,
          ServiceKeysException,
          LedgerInTwoShardsException {
    Nested.refuse(backup, work);
    Nested.refuse(keys, work);
    ClusterManifest manifest = ClusterManifest.read(backup);
    if (!oldIsGone && to.equals(manifest.cluster())) {
      throw new BackupRefusedException(
          Reason.NOT_EMPTY, "cluster " + to + " is the old one: the new one needs another name");
    }
    RestoreWork room =
        new RestoreWork(
            work, Sha256.hash(Files.readAllBytes(backup.resolve(ClusterManifest.FILE))));
    room.check();
    SortedMap<Integer, BackupManifest> shards = read(manifest);
    checkKeys(manifest);
    try (ClusterConnection cluster = clusters.open(to)) {
      ClusterFounding founding =
          new ClusterFounding(cluster.coordination(), cluster.paths(), nonces);
      founding.requireNone(); // before anything is closed
      if (oldIsGone) {
        requireAccepted(acceptRollback, "nobody knows what came behind it");
        requireGone(clusters, manifest.cluster());
      } else {
        try (ClusterConnection old = clusters.open(manifest.cluster())) {
          close(old, to, shards, acceptRollback);
        }
      }
      founding.restoring();
      room.begin();
      int ledgers = makeAll(cluster, room, shards, watch);
      if (manifest.tLedger().isPresent()) {
        keepTLedger(cluster, manifest.tLedger().get());
      }
      founding.restored(
          manifest.authority(), manifest.shards(), manifest.pairs(), manifest.present());
      room.end();
      return new Restored(shards.size(), ledgers, manifest.takenMs());
    } catch (ShardNotEmptyException e) {
      throw new ImportRefusedException(String.valueOf(e.getMessage()), e);
    }
  }

  private void keepTLedger(ClusterConnection cluster, Bytes request)
      throws IOException, CorruptStreamException {
    Optional<Bytes> before = ClusterTLedger.read(cluster).map(ClusterTLedger::request);
    if (!ClusterTLedger.write(cluster, before, request, nonces)) {
      throw new IOException("somebody else names a T-Ledger for this cluster at the same time");
    }
  }

  /// @return how many ledgers there are
  private int makeAll(
      ClusterConnection cluster,
      RestoreWork room,
      SortedMap<Integer, BackupManifest> shards,
      LocalRestore.Watch watch)
      throws IOException,
          BackupRefusedException,
          CorruptStreamException,
          ServiceKeysException,
          ImportRefusedException,
          LedgerInTwoShardsException,
          ShardNotEmptyException {
    Map<Integer, List<LedgerId>> ledgers = new HashMap<>();
    for (Map.Entry<Integer, BackupManifest> each : shards.entrySet()) {
      int shard = each.getKey();
      requireSame(shard, each.getValue().heads(), make(cluster, room, shard, watch));
      ledgers.put(shard, each.getValue().heads().stream().map(Backups.Head::ledger).toList());
    }
    int _ = new RegistryRebuild(cluster.coordination(), cluster.paths(), nonces).run(() -> ledgers);
    for (int shard : shards.keySet()) {
      ClusterImport.target(cluster, logs, nonces, shard).stream().open(ShardPlaces.STATE_FORMAT);
    }
    return ledgers.values().stream().mapToInt(List::size).sum();
  }

  /// What an earlier call has made may be of something else.
  static void requireSame(int shard, List<Backups.Head> want, List<Backups.Head> made)
      throws BackupRefusedException {
    if (!extents(want).equals(extents(made))) {
      throw new BackupRefusedException(
          Reason.DAMAGED,
          String.format(
              Locale.ROOT,
              "shard %d came out with %s, the backup has %s",
              shard,
              extents(made),
              extents(want)));
    }
  }

  private static SortedSet<String> extents(List<Backups.Head> heads) {
    SortedSet<String> all = new TreeSet<>();
    for (Backups.Head head : heads) {
      all.add(
          String.format(
              Locale.ROOT,
              "%s: %d leaves in %d blocks, root %s",
              head.ledger(),
              head.size(),
              head.blocks(),
              head.root()));
    }
    return all;
  }

  /// The manifests of the shards, which must be those that the cluster's names.
  private SortedMap<Integer, BackupManifest> read(ClusterManifest manifest)
      throws IOException, BackupRefusedException {
    SortedMap<Integer, BackupManifest> shards = new TreeMap<>();
    for (Map.Entry<Integer, Digest> each : manifest.backups().entrySet()) {
      Path folder = backup.resolve(ClusterManifest.folder(each.getKey()));
      BackupManifest read = BackupManifest.read(folder);
      Path file = folder.resolve(BackupManifest.FILE);
      if (!Sha256.hash(Files.readAllBytes(file)).equals(each.getValue())) {
        throw new BackupRefusedException(
            Reason.DAMAGED, file + " is not the one that belongs to the backup");
      }
      new ShardRestore(folder, read).check(); // the old cluster is closed for a whole one only
      shards.put(each.getKey(), read);
    }
    return shards;
  }

  private void checkKeys(ClusterManifest manifest) throws IOException, BackupRefusedException {
    List<RecordedKeys.Ids> ids =
        manifest.pairs().stream()
            .map((KeyPairKids pair) -> new RecordedKeys.Ids(pair.note(), pair.receipt()))
            .toList();
    try {
      new RecordedKeys(manifest.authority(), ids).checkAllIn(keys, signatures);
    } catch (ServiceKeysException e) {
      throw new BackupRefusedException(Reason.KEYS, String.valueOf(e.getMessage()), e);
    }
  }

  /// A cluster that is there is closed first, whatever the caller says of it.
  private void requireGone(Clusters clusters, String name)
      throws IOException, BackupRefusedException {
    try (ClusterConnection old = clusters.open(name)) {
      new ClusterFounding(old.coordination(), old.paths(), nonces).requireNone();
    } catch (ClusterExistsException e) {
      throw new BackupRefusedException(
          Reason.NOT_EMPTY,
          "cluster "
              + name
              + " is not gone: it is in this ZooKeeper; leave out --old-cluster-is-gone",
          e);
    }
  }

  private static void requireAccepted(boolean accepted, String why) throws BackupRefusedException {
    if (!accepted) {
      throw new BackupRefusedException(
          Reason.ROLLBACK, "the cluster may have gone on after this backup: " + why);
    }
  }

  /// Closes every shard of the old cluster: looked at before, so that one that has gone on is not
  /// stopped in vain. If one has gone on meanwhile, what was closed here is opened again: nothing
  /// of the new cluster is there yet.
  private void close(
      ClusterConnection old,
      String to,
      SortedMap<Integer, BackupManifest> shards,
      boolean acceptRollback)
      throws IOException, CorruptStreamException, BackupRefusedException, ShardNotEmptyException {
    ShardFence fence = new ShardFence(logs, old.coordination(), old.paths(), to, nonces);
    int count = shardsOf(old);
    for (int shard = 0; shard < count; shard++) {
      fence.checkFree(new StreamId(shard));
      requireNoMore(old, shard, shards, acceptRollback);
    }
    List<ShardFence.Closed> closed = new ArrayList<>();
    try {
      for (int shard = 0; shard < count; shard++) {
        closed.add(fence.close(new StreamId(shard)));
        requireNoMore(old, shard, shards, acceptRollback);
      }
    } catch (BackupRefusedException e) {
      openAfter(e, fence, closed);
      throw new BackupRefusedException(
          e.reason(), e.getMessage() + "; what was closed for this is open again", e);
    } catch (IOException | CorruptStreamException | ShardNotEmptyException | RuntimeException e) {
      openAfter(e, fence, closed);
      throw e;
    }
  }

  private static void openAfter(Exception failure, ShardFence fence, List<ShardFence.Closed> closed)
      throws IOException {
    try {
      for (ShardFence.Closed each : closed) {
        fence.open(each);
      }
    } catch (IOException e) {
      e.addSuppressed(failure);
      throw new IOException("not all shards that were closed could be opened again", e);
    }
  }

  private static int shardsOf(ClusterConnection old)
      throws IOException, CorruptStreamException, BackupRefusedException {
    try {
      return ClusterIdentity.read(old.coordination(), old.paths()).identity().shards();
    } catch (NoClusterException e) {
      throw new BackupRefusedException(
          Reason.ROLLBACK,
          String.format(
              Locale.ROOT,
              "cluster %s is not here to be closed: --old-cluster-is-gone, if it is",
              old.paths().cluster()),
          e);
    }
  }

  private void requireNoMore(
      ClusterConnection old, int shard, SortedMap<Integer, BackupManifest> shards, boolean accepted)
      throws IOException, CorruptStreamException, BackupRefusedException {
    BackupManifest there = shards.get(shard);
    long next = there == null ? 0 : there.nextFrame();
    try (ReplicatedStreamStore streams = ClusterBackup.streams(old, logs, nonces);
        StreamReader stream = streams.openReader(new StreamId(shard))) {
      if (SharedShardBackup.holdsFrom(next, stream)) {
        requireAccepted(
            accepted,
            String.format(Locale.ROOT, "shard %d has more than is before frame %d", shard, next));
      }
    }
  }

  private List<Backups.Head> make(
      ClusterConnection cluster, RestoreWork room, int shard, LocalRestore.Watch watch)
      throws IOException,
          BackupRefusedException,
          CorruptStreamException,
          ServiceKeysException,
          ImportRefusedException {
    Path data = room.shard(shard);
    if (ShardImport.begun(data, cluster.paths().cluster()).isEmpty()) {
      ClusterBackup.delete(data);
      BackupManifest _ =
          new LocalRestore(
                  backup.resolve(ClusterManifest.folder(shard)), data, keys, signatures, hasher)
              .run(true, watch);
    }
    return new ShardImport(
            data, keys, signatures, hasher, ClusterImport.target(cluster, logs, nonces, shard))
        .run((_, _) -> {}, watch);
  }
}
