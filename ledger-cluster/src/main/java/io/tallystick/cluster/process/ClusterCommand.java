package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.ServiceKids;
import io.tallystick.cluster.book.Bookie;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.master.identity.ClusterFounding;
import io.tallystick.master.identity.ClusterIdentity;
import io.tallystick.master.identity.NoClusterException;
import io.tallystick.master.identity.OtherClusterException;
import io.tallystick.master.placement.PlacementWishes;
import io.tallystick.master.placement.ShardTarget;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.presence.PresentServer;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.model.Authority;
import io.tallystick.model.MalformedException;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.replicated.ShardOwner;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Founds a cluster, shows it, and says where shards are wanted.
@Command(
    name = "cluster",
    description = "Found a cluster, look at it, move its shards; try one on this machine.",
    mixinStandardHelpOptions = true,
    subcommands = {
      TrialCommand.class,
      ClusterKeysCommand.class,
      ClusterTLedgerCommand.class,
      ClusterWritableCommand.class,
      RebuildRegistryCommand.class,
      ClusterImportCommand.class,
      ClusterBackupCommand.class,
      ClusterRestoreCommand.class
    })
public final class ClusterCommand {
  @Spec private CommandSpec spec = CommandSpec.create();

  private void say(String line) {
    Output.out(spec.commandLine()).println(line);
  }

  @Command(
      name = "init",
      description = {
        "Found a cluster: its name, its keys and its shards stand in ZooKeeper from then on.",
        "Again with the same values it changes nothing, also if shards were added since; with "
            + "others it is refused."
      },
      mixinStandardHelpOptions = true)
  int init(
      @Mixin ClusterOptions cluster,
      @Option(
              names = "--authority",
              paramLabel = "HOST[:PORT]",
              required = true,
              description = "The public name of the service. Its ledgers carry it for ever")
          String authority,
      @Option(
              names = "--keys",
              paramLabel = "DIR",
              required = true,
              description =
                  "The folder of the service's keys, made with new ones if it has none. Each server "
                      + "gets a copy")
          Path keys,
      @Option(
              names = "--shards",
              paramLabel = "COUNT",
              defaultValue = "16",
              description = "How many shards there are. Default: ${DEFAULT-VALUE}")
          int shards)
      throws IOException,
          CorruptStreamException,
          ServiceKeysException,
          OtherClusterException,
          UsageException {
    if (shards < 1 || shards > ClusterIdentity.SHARDS_MAX) {
      throw new UsageException("--shards is 1 to " + ClusterIdentity.SHARDS_MAX);
    }
    try (ClusterConnection connection = cluster.connect()) {
      ClusterIdentity founded =
          new ClusterFounding(connection.coordination(), connection.paths(), new SecureRandom())
              .init(
                  new ClusterFounding.Terms(
                      authority(authority),
                      Math.max(shards, shardsThere(connection)),
                      new TreeMap<>(),
                      kids(keys)));
      boolean bookKeeper = Bookie.found(cluster.metadata());
      say(
          String.format(
              Locale.ROOT,
              "Cluster %s of %s: %d shards, key pair %s%s",
              cluster.cluster(),
              founded.authority().value(),
              founded.shards(),
              founded.present(),
              bookKeeper ? ", BookKeeper's metadata made" : ""));
    }
    return ExitCode.OK;
  }

  private static int shardsThere(ClusterConnection connection)
      throws IOException, CorruptStreamException {
    try {
      return ClusterIdentity.read(connection.coordination(), connection.paths())
          .identity()
          .shards();
    } catch (NoClusterException _) {
      return 0;
    }
  }

  private static Authority authority(String text) throws UsageException {
    try {
      return Authority.parse(text);
    } catch (MalformedException e) {
      throw new UsageException("--authority: " + e.getMessage());
    }
  }

  private static KeyPairKids kids(Path keys) throws IOException, ServiceKeysException {
    return ServiceKids.of(
        ServiceKeyStore.holdsPair(keys)
            ? ServiceKeyStore.loadGivenPair(keys, SignatureProviders.best())
            : ServiceKeyStore.makeFirstPair(keys, SignatureProviders.best()));
  }

  @Command(
      name = "status",
      description = "Show the servers that are there, and where each shard is and shall be.",
      mixinStandardHelpOptions = true)
  int status(@Mixin ClusterOptions cluster) throws IOException, CorruptStreamException {
    try (ClusterConnection connection = cluster.connect()) {
      ClusterIdentity identity = connection.identity();
      say(
          String.format(
              Locale.ROOT, "Cluster %s of %s", cluster.cluster(), identity.authority().value()));
      for (PresentServer server :
          new PresentServers(connection.coordination(), connection.paths()).read().values()) {
        say(
            String.format(
                Locale.ROOT,
                "server %s at %s, %d of at most %d shards",
                server.id(),
                server.address(),
                server.shards().size(),
                server.share()));
      }
      ShardClaims owners =
          new ShardClaims(
              connection.coordination(),
              connection.paths(),
              new ShardClaims.Server("", "", 0),
              new SecureRandom());
      for (int shard = 0; shard < identity.shards(); shard++) {
        show(connection, owners, shard);
      }
    }
    return ExitCode.OK;
  }

  private void show(ClusterConnection connection, ShardClaims owners, int shard)
      throws IOException, CorruptStreamException {
    StreamId id = new StreamId(shard);
    Optional<ShardOwner> owner = owners.owner(id).map(ShardClaims.Seen::owner);
    Optional<ShardTarget> target =
        ShardTarget.read(connection.coordination(), connection.paths(), id);
    String owned =
        owner
            .filter(its -> its.epoch() > 0)
            .map(its ->
                its.isClosed()
                    ? its.successor()
                        .map(cluster -> "nobody: it goes on in cluster " + cluster)
                        .orElse("nobody, and is closed to servers")
                    : String.format(Locale.ROOT, "%s, epoch %d", its.server(), its.epoch()))
            .orElse("nobody");
    String wanted =
        target
            .map(ShardTarget::server)
            .filter(server ->
                owner.isEmpty() || !(owner.get().isClosed() || owner.get().server().equals(server)))
            .map(server -> ", to be written by " + server)
            .orElse("");
    say(String.format(Locale.ROOT, "shard %d is written by %s%s", shard, owned, wanted));
  }

  @Command(
      name = "move",
      description = "Want a shard on a server, as long as that is alive; it happens soon after.",
      mixinStandardHelpOptions = true)
  int move(
      @Mixin ClusterOptions cluster,
      @Parameters(paramLabel = "SHARD", description = "The shard's number") int shard,
      @Parameters(paramLabel = "SERVER", description = "The server's name, or `any`") String server)
      throws IOException, UsageException {
    return wish(
        cluster,
        wishes -> {
          try {
            if (server.equals("any")) {
              wishes.leave(shard);
              say(String.format(Locale.ROOT, "Shard %d is left to the masters", shard));
            } else {
              wishes.want(shard, server);
              say(String.format(Locale.ROOT, "Shard %d is wanted on %s", shard, server));
            }
          } catch (ChangeRefusedException e) {
            throw new UsageException(
                "there is no shard " + shard + " in cluster " + cluster.cluster());
          }
        });
  }

  @Command(
      name = "drain",
      description = "Want no shard on a server, so that it can be stopped without a pause.",
      mixinStandardHelpOptions = true)
  int drain(
      @Mixin ClusterOptions cluster,
      @Parameters(paramLabel = "SERVER", description = "The server's name") String server,
      @Option(names = "--undo", description = "Take that back") boolean undo)
      throws IOException, UsageException {
    return wish(
        cluster,
        wishes -> {
          if (undo) {
            wishes.undrain(server);
            say(String.format(Locale.ROOT, "Server %s takes shards again", server));
          } else {
            wishes.drain(server);
            say(String.format(Locale.ROOT, "Server %s is drained", server));
          }
        });
  }

  /// A wish of an operator.
  private interface Wish {
    /// @throws IllegalArgumentException if it names nothing that can be wished for
    void tell(PlacementWishes wishes) throws IOException, UsageException;
  }

  private static int wish(ClusterOptions cluster, Wish wish) throws IOException, UsageException {
    try (ClusterConnection connection = cluster.connect()) {
      wish.tell(
          new PlacementWishes(
              connection.coordination(),
              connection.paths(),
              System::currentTimeMillis,
              new SecureRandom()));
      return ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  @Command(
      name = "add-shards",
      description = "Give the cluster more shards; those that are there stay as they are.",
      mixinStandardHelpOptions = true)
  int addShards(
      @Mixin ClusterOptions cluster,
      @Parameters(paramLabel = "COUNT", description = "How many there shall be in all") int count)
      throws IOException, CorruptStreamException, NoClusterException, UsageException {
    if (count < 1 || count > ClusterIdentity.SHARDS_MAX) {
      throw new UsageException("COUNT is 1 to " + ClusterIdentity.SHARDS_MAX);
    }
    try (ClusterConnection connection = cluster.connect()) {
      int shards =
          new ClusterFounding(connection.coordination(), connection.paths(), new SecureRandom())
              .growTo(count)
              .shards();
      say(String.format(Locale.ROOT, "Cluster %s has %d shards", cluster.cluster(), shards));
    }
    return ExitCode.OK;
  }
}
