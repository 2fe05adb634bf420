package io.tallystick.cluster.transfer;

import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.ClusterTLedger;
import io.tallystick.cluster.ShardPlaces;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.Signatures;
import io.tallystick.durable.PrivateFile;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.master.identity.ClusterIdentity;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.model.Digest;
import io.tallystick.node.Backups;
import io.tallystick.server.backup.BackupManifest;
import io.tallystick.server.backup.SharedShardBackup;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.ship.SavepointRefusedException;
import io.tallystick.server.ship.ShippingPlaces;
import io.tallystick.storage.replicated.ReplicatedLogs;
import io.tallystick.storage.replicated.ReplicatedSettings;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.replicated.StreamImport;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/// Makes a backup of a cluster that runs: each shard's is one of a data directory. One thread's.
public final class ClusterBackup {
  private static final long SHIPPED_SECONDS = 180;
  private static final long LOOK_MILLIS = 500;

  private final ClusterConnection connection;
  private final ReplicatedLogs logs;
  private final Signatures signatures;
  private final BatchHasher hasher;
  private final RandomGenerator nonces;

  /// What was backed up.
  ///
  /// @param shards that have a stream
  public record Taken(int shards, int ledgers, long bytes, int damagedFrames) {}

  /// @param nonces a secure source
  public ClusterBackup(
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

  /// @param out that is not there, or empty; without a file `cluster` it is no backup
  /// @throws IOException also if a shard has shipped no savepoint after 3 minutes, or one that is
  ///   closed has ledgers and no savepoint
  /// @throws CorruptStreamException if a shard is damaged
  public Taken run(Path out, Backups.Progress progress)
      throws IOException, CorruptStreamException, ServiceKeysException, SavepointRefusedException {
    long takenMs = System.currentTimeMillis();
    requireEmpty(out);
    ClusterIdentity identity = connection.identity();
    SortedMap<Integer, Digest> backups = new TreeMap<>();
    int ledgers = 0;
    long bytes = 0;
    int damaged = 0;
    for (int shard = 0; shard < identity.shards(); shard++) {
      Optional<BackupManifest> taken = shard(shard, out, progress);
      if (taken.isPresent()) {
        Path manifest = out.resolve(ClusterManifest.folder(shard)).resolve(BackupManifest.FILE);
        backups.put(shard, Sha256.hash(Files.readAllBytes(manifest)));
        ledgers += taken.get().heads().size();
        bytes += taken.get().bytes();
        damaged += taken.get().damaged().size();
      }
    }
    new ClusterManifest(
            takenMs,
            connection.paths().cluster(),
            identity.authority(),
            identity.pairs(),
            identity.present(),
            identity.shards(),
            ClusterTLedger.read(connection).map(ClusterTLedger::request),
            backups)
        .write(out);
    return new Taken(backups.size(), ledgers, bytes, damaged);
  }

  private static void requireEmpty(Path out) throws IOException {
    PrivateFile.createDirectory(out);
    try (Stream<Path> entries = Files.list(out)) {
      if (entries.findAny().isPresent()) {
        throw new IOException(out + " is not empty");
      }
    }
  }

  private Optional<BackupManifest> shard(int number, Path out, Backups.Progress progress)
      throws IOException, CorruptStreamException, ServiceKeysException, SavepointRefusedException {
    StreamId shard = new StreamId(number);
    ShardClaims none = StreamImport.claims(connection.coordination(), connection.paths(), nonces);
    ShippingPlaces shipping = ShardPlaces.shipping(connection, logs, none, nonces);
    if (isImported(none.owner(shard)) && shipping.pointers().apply(shard).read().isEmpty()) {
      requireNoLedgers(number);
      return Optional.empty();
    }
    try (ReplicatedStreamStore streams = streams(connection, logs, nonces)) {
      if (!awaitShipped(shard, streams, shipping)) {
        return Optional.empty();
      }
      Path work = out.resolve("work");
      Path folder = out.resolve(ClusterManifest.folder(number));
      PrivateFile.createDirectory(work);
      PrivateFile.createDirectory(folder);
      try {
        return Optional.of(
            new SharedShardBackup(shard, streams, shipping, signatures, hasher, progress)
                .run(folder, work));
      } finally {
        delete(work);
      }
    }
  }

  /// Whether an import has not come to its end. A shard that was closed for good is backed up as
  /// any other: whoever restores it elsewhere once more must have all of it.
  private static boolean isImported(Optional<ShardClaims.Seen> owner) {
    return owner.isEmpty()
        || (owner.get().owner().isClosed() && owner.get().owner().successor().isEmpty());
  }

  private void requireNoLedgers(int shard) throws IOException, CorruptStreamException {
    if (new ClusterRegistry(connection.coordination(), connection.paths(), nonces)
        .hasLedgers(shard)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "shard %d is closed and has ledgers, and no savepoint of it is there",
              shard));
    }
  }

  /// @return false if the shard has nothing
  private static boolean awaitShipped(
      StreamId shard, ReplicatedStreamStore streams, ShippingPlaces shipping)
      throws IOException, CorruptStreamException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SHIPPED_SECONDS);
    while (shipping.pointers().apply(shard).read().isEmpty()) {
      try (StreamReader stream = streams.openReader(shard)) {
        if (!SharedShardBackup.holdsFrom(0, stream)) {
          return false;
        }
      }
      if (System.nanoTime() - end > 0) {
        throw new IOException(
            String.format(
                Locale.ROOT, "shard %d has shipped no savepoint; is it served?", shard.shard()));
      }
      try {
        Thread.sleep(LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
    return true;
  }

  /// A store that only reads.
  static ReplicatedStreamStore streams(
      ClusterConnection connection, ReplicatedLogs logs, RandomGenerator nonces) {
    return new ReplicatedStreamStore(
        logs,
        connection.coordination(),
        connection.paths(),
        StreamImport.claims(connection.coordination(), connection.paths(), nonces),
        ReplicatedSettings.DEFAULT,
        nonces,
        () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
  }

  static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      List<Path> all;
      try (Stream<Path> below = Files.walk(folder)) {
        all = below.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path each : all) {
        Files.delete(each);
      }
    }
  }
}
