package io.tallystick.server.host;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Authority;
import io.tallystick.node.LedgerNode;
import io.tallystick.server.keys.ListedPairs;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.shard.FollowingShard;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.server.ship.SavepointShipper;
import io.tallystick.server.ship.ShippedPiece;
import io.tallystick.server.ship.ShippingPlaces;
import io.tallystick.server.ship.ShippingThread;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One shard of a cluster, which this process claims and serves: its stream is shared, its indexes
/// are in a folder of its own. What the folder holds can be made again from the stream.
public final class HostedShard implements AutoCloseable {
  private final HostedParts parts;
  private final ShardNode node;
  private final ShippingThread shipping;

  private HostedShard(HostedParts parts, ShardNode node, ShippingThread shipping) {
    this.parts = parts;
    this.node = node;
    this.shipping = shipping;
  }

  /// What all shards of a server have in common.
  ///
  /// @param keys folder of the service's keys, given and never written
  /// @param pairs of these keys that the cluster lists
  /// @param authority of the cluster
  /// @param streams makes a store for one opening of a shard, closed with it
  /// @param shipping where savepoints are
  /// @param meters of the shard with a number: one registry for each opening, closed with it
  public record Common(
      Path keys,
      ListedPairs pairs,
      Authority authority,
      Supplier<ReplicatedStreamStore> streams,
      ShippingPlaces shipping,
      ShardConfig config,
      BatchHasher hasher,
      Signatures signatures,
      IntFunction<MeterRegistry> meters,
      InstantSource clock) {}

  /// Claims the shard over whoever owns it, and recovers it.
  ///
  /// @param folder of its indexes, made if there is none; a shipped savepoint is fetched into it if
  ///   what is there is older than all that are kept
  /// @throws IOException also if another process holds the folder, or another server claims the
  ///   shard at the same time
  /// @throws ServiceKeysException if the keys are missing, or others than those of before
  /// @throws CorruptStreamException if what is stored contradicts itself
  public static HostedShard open(
      Path folder, StreamId shard, SharedOwnership ownership, Common common)
      throws IOException, ServiceKeysException, CorruptStreamException {
    return FollowedShard.open(folder, shard, ownership, common).promote();
  }

  static HostedShard of(HostedParts parts, FollowingShard following)
      throws IOException, CorruptStreamException {
    ShardStorage storage = parts.storage();
    Common common = parts.common();
    long began = System.nanoTime();
    ShardNode node =
        ShardNode.promote(following, storage, common.config(), common.hasher(), parts.signer());
    parts.opened().push(node);
    OwnerMeters.register(parts.meters(), parts.ownership(), System.nanoTime() - began);
    parts.wake().set(node.shard().removals()::removalSaved);
    SavepointShipper shipper =
        new SavepointShipper(
            storage.stream(),
            node.shard().copies(),
            common.shipping().stores().apply(storage.stream()),
            common.shipping().pointers().apply(storage.stream()),
            new SavepointShipper.Settings(
                common.config().shipping(), common.shipping().software(), ShippedPiece.BYTES),
            storage.clock(),
            parts.shippedTo());
    ShippingMeters.register(parts.meters(), shipper.counts(), storage.clock());
    parts
        .opened()
        .push(
            new StreamUpkeep(
                    storage.stream(),
                    parts.streams(),
                    parts.ownership(),
                    () -> node.shard().stopped() == null)
                .register(parts.meters())
                .start());
    ShippingThread shipping = ShippingThread.start(storage.stream(), shipper);
    parts.opened().push(shipping);
    return new HostedShard(parts, node, shipping);
  }

  public LedgerNode node() {
    return node;
  }

  /// Why another server had better write a shard.
  ///
  /// @param mayBeOfAll whether the others may be no better off: those who keep the stream are out
  ///   of reach
  public record Unfit(String why, boolean mayBeOfAll) {
    static Optional<Unfit> here(String why) {
      return Optional.of(new Unfit(why, false));
    }
  }

  /// Why another server had better write the shard: this one takes no appends until it opens it
  /// anew, its disk is full, or stands still, or what it needs to claim its stream again fails.
  /// Empty while it is about to claim again after it was fenced.
  public Optional<Unfit> unfit() {
    return switch (node.shard().phase()) {
      case READ_ONLY -> Unfit.here(node.health().detail());
      case NO_ROOM -> Unfit.here("its disk is full");
      case UNCLAIMED -> unclaimed(node.shard().stopped());
      default ->
          node.shard().stalls().now() == null
              ? Optional.empty()
              : Unfit.here(node.shard().stalls().detail());
    };
  }

  private static Optional<Unfit> unclaimed(@Nullable Throwable failure) {
    return switch (failure) {
      case null -> Optional.empty(); // it has claimed it meanwhile
      case StreamFencedException _ -> Optional.empty();
      case StreamUnavailableException e -> Optional.of(new Unfit(e.toString(), true));
      default -> Unfit.here("it cannot claim its stream: " + failure);
    };
  }

  /// Reads the pairs of keys that the cluster lists. One that cannot be read now is read when a
  /// signature needs it.
  public void readPairs() {
    parts.readPairs();
  }

  /// From now on members' chains lead to one of these. Without a call every chain is refused.
  public void trust(CertificateAuthorities authorities) {
    node.trust(authorities);
  }

  /// Ships what came since the last shipped savepoint, if the shard is this server's still and that
  /// takes seconds, then drains the shard and takes its savepoint.
  @Override
  public void close() throws IOException {
    if (node.shard().stopped() == null && isOurs()) {
      shipping.shipLast();
    }
    parts.close();
  }

  private boolean isOurs() {
    try {
      return parts.ownership().isOurs();
    } catch (IOException _) {
      return false;
    }
  }
}
