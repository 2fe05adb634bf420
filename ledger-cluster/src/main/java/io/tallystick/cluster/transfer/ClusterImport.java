package io.tallystick.cluster.transfer;

import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.ShardPlaces;
import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.master.identity.ClusterFounding;
import io.tallystick.master.identity.ClusterIdentity;
import io.tallystick.master.identity.NoClusterException;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.master.registry.LedgerInTwoShardsException;
import io.tallystick.model.LedgerId;
import io.tallystick.node.Backups;
import io.tallystick.server.host.ImportRefusedException;
import io.tallystick.server.host.ShardImport;
import io.tallystick.server.keys.RecordedKeys;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.storage.replicated.ReplicatedLogs;
import io.tallystick.storage.replicated.ReplicatedSettings;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.replicated.ShardNotEmptyException;
import io.tallystick.storage.replicated.StreamImport;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/// Makes a shard of a cluster of a stopped service's data directory. Cut short, it is done again.
/// One thread's.
public final class ClusterImport {
  private final ClusterConnection connection;
  private final ReplicatedLogs logs;
  private final Signatures signatures;
  private final BatchHasher hasher;
  private final RandomGenerator nonces;

  /// What was imported.
  public record Imported(int shard, int ledgers) {}

  /// @param nonces a secure source
  public ClusterImport(
      ClusterConnection connection,
      ReplicatedLogs logs,
      Signatures signatures,
      BatchHasher hasher,
      RandomGenerator nonces) {
    this.connection = connection;
    this.logs = logs;
    this.signatures = signatures;
    this.hasher = hasher;
    this.nonces = nonces;
  }

  /// @param data directory that no service has open; none starts on it afterwards
  /// @param keys folder of the service's keys, as the cluster's servers have it
  /// @param wanted shard that nobody has claimed; empty: a new one
  /// @throws ImportRefusedException if the cluster does not take it; nothing of it is visible
  /// @throws ServiceKeysException if the keys are not those of the directory
  /// @throws CorruptStreamException if what is stored is damaged
  public Imported run(Path data, Path keys, OptionalInt wanted, Backups.Progress progress)
      throws IOException,
          CorruptStreamException,
          ServiceKeysException,
          ImportRefusedException,
          NoClusterException {
    ClusterIdentity identity = connection.identity();
    OptionalInt begun = ShardImport.begun(data, connection.paths().cluster());
    int shard = begun.orElse(wanted.orElse(identity.shards()));
    if (wanted.isPresent() && wanted.getAsInt() != shard) {
      throw new ImportRefusedException(
          String.format(Locale.ROOT, "%s is being imported as shard %d", data, shard));
    }
    if (shard < 0 || shard > identity.shards() || shard >= ClusterIdentity.SHARDS_MAX) {
      throw new ImportRefusedException(
          String.format(
              Locale.ROOT, "shard %d: the cluster has %d shards", shard, identity.shards()));
    }
    ShardImport.Target target = target(connection, logs, nonces, shard);
    ClusterRegistry registry =
        new ClusterRegistry(connection.coordination(), connection.paths(), nonces);
    try {
      List<LedgerId> ledgers =
          new ShardImport(data, keys, signatures, hasher, target)
                  .run(
                      (recorded, all) -> {
                        checkKeys(identity, recorded);
                        checkFree(registry, shard, all);
                      },
                      progress)
                  .stream()
                  .map(Backups.Head::ledger)
                  .toList();
      registry.adopt(shard, ledgers);
      ClusterIdentity _ =
          new ClusterFounding(connection.coordination(), connection.paths(), nonces)
              .growTo(shard + 1);
      target.stream().open(ShardPlaces.STATE_FORMAT);
      return new Imported(shard, ledgers.size());
    } catch (LedgerInTwoShardsException | ShardNotEmptyException e) {
      throw new ImportRefusedException(String.valueOf(e.getMessage()), e);
    }
  }

  static ShardImport.Target target(
      ClusterConnection connection, ReplicatedLogs logs, RandomGenerator nonces, int shard) {
    ShardClaims claims = StreamImport.claims(connection.coordination(), connection.paths(), nonces);
    StreamId id = new StreamId(shard);
    return new ShardImport.Target(
        connection.paths().cluster(),
        id,
        new StreamImport(
            logs,
            connection.coordination(),
            connection.paths(),
            claims,
            ReplicatedSettings.DEFAULT,
            nonces,
            id),
        ShardPlaces.shipping(connection, logs, claims, nonces));
  }

  private static void checkKeys(ClusterIdentity identity, RecordedKeys recorded)
      throws ImportRefusedException {
    if (!identity.authority().equals(recorded.authority())) {
      throw new ImportRefusedException(
          String.format(
              Locale.ROOT,
              "the directory is of %s, the cluster of %s",
              recorded.authority().value(),
              identity.authority().value()));
    }
    for (RecordedKeys.Ids ids : recorded.pairs()) {
      KeyPairKids pair = new KeyPairKids(ids.noteKid(), ids.receiptKid());
      if (!identity.pairs().contains(pair)) {
        throw new ImportRefusedException(
            String.format(Locale.ROOT, "the cluster does not list key pair %s", pair));
      }
    }
  }

  private static void checkFree(ClusterRegistry registry, int shard, List<LedgerId> ledgers)
      throws IOException, CorruptStreamException, ImportRefusedException {
    try {
      registry.checkFree(shard, ledgers);
    } catch (LedgerInTwoShardsException e) {
      throw new ImportRefusedException(String.valueOf(e.getMessage()), e);
    }
  }
}
