package io.tallystick.storage.replicated;

import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/// One server's claims on shards. Who writes a shard is decided by the version of its `owner` path
/// alone: of two that claim it at once one wins. Thread-safe.
public final class ShardClaims {
  /// Times that a claim is sent before its outcome stays unknown.
  private static final int TRIES = 5;

  /// Of so many claims of a shard it is remembered that they are this object's.
  private static final int SENT_MAX = 64;

  private final Coordination coordination;
  private final ClusterPaths paths;
  private final Server server;
  private final RandomGenerator nonces;
  private final Map<StreamId, ShardClaim> held = new ConcurrentHashMap<>();

  /// Claims that were sent, the newest last: also those of which nobody knows whether they were
  /// made.
  private final Map<StreamId, Deque<ShardOwner>> sent = new ConcurrentHashMap<>();

  /// The server that claims.
  ///
  /// @param name unique in the cluster
  /// @param address at which proxies find it
  /// @param stateFormat of the states that its software keeps
  public record Server(String name, String address, int stateFormat) {}

  /// A shard's owner as it was read.
  public record Seen(ShardOwner owner, int version) {}

  public ShardClaims(
      Coordination coordination, ClusterPaths paths, Server server, RandomGenerator nonces) {
    this.coordination = coordination;
    this.paths = paths;
    this.server = server;
    this.nonces = nonces;
  }

  /// Makes the cluster's paths and those of shards that nobody has claimed yet; what is there
  /// stays.
  public static void found(
      Coordination coordination, ClusterPaths paths, List<StreamId> shards, RandomGenerator nonces)
      throws IOException {
    for (String path : List.of(ClusterPaths.CLUSTERS, paths.root(), paths.shards())) {
      make(coordination, List.of(created(path)));
    }
    for (StreamId shard : shards) {
      found(coordination, paths, shard, ShardOwner.nobody(nonces.nextLong()));
    }
  }

  /// Makes the paths of a shard that no server may claim before it is opened; what is there stays.
  static void foundClosed(
      Coordination coordination, ClusterPaths paths, StreamId shard, RandomGenerator nonces)
      throws IOException {
    for (String path : List.of(ClusterPaths.CLUSTERS, paths.root(), paths.shards())) {
      make(coordination, List.of(created(path)));
    }
    found(coordination, paths, shard, ShardOwner.closed(nonces.nextLong()));
  }

  private static void found(
      Coordination coordination, ClusterPaths paths, StreamId shard, ShardOwner owner)
      throws IOException {
    make(
        coordination,
        List.of(
            created(paths.shard(shard)),
            created(paths.segments(shard)),
            created(paths.retired(shard)),
            created(paths.lease(shard)),
            new Change.Create(paths.owner(shard), owner.encode(), false)));
  }

  private static Change created(String path) {
    return new Change.Create(path, Bytes.EMPTY, false);
  }

  private static void make(Coordination coordination, List<Change> changes) throws IOException {
    try {
      coordination.commit(changes);
    } catch (ChangeRefusedException e) {
      if (e.reason() != ChangeRefusedException.Reason.EXISTS) {
        throw e;
      }
    }
  }

  /// Who owns a shard, perhaps no longer; empty if there is no such shard.
  ///
  /// @throws CorruptStreamException if what stands there is no owner
  public Optional<Seen> owner(StreamId shard) throws IOException, CorruptStreamException {
    Optional<Versioned> there = coordination.read(paths.owner(shard));
    return there.isEmpty() ? Optional.empty() : Optional.of(seen(shard, there.get()));
  }

  private Seen seen(StreamId shard, Versioned there) throws CorruptStreamException {
    try {
      return new Seen(ShardOwner.decode(there.value()), there.version());
    } catch (MalformedException e) {
      throw new CorruptStreamException(paths.owner(shard), 0, String.valueOf(e.getMessage()), e);
    }
  }

  /// Claims a shard, whoever owns it, in the epoch behind the owner's.
  ///
  /// @throws StreamFencedException if another claims it at the same time
  /// @throws StreamUnavailableException if nothing could be read or sent; there is no claim
  /// @throws OutcomeUnknownException if no answer came; the claim may have been made, and then is
  ///   in nobody's hands
  public ShardClaim claim(StreamId shard) throws IOException, CorruptStreamException {
    Seen over = readable(shard);
    return claim(shard, over, over.owner().epoch() + 1);
  }

  /// Claims a shard over the owner that the caller has seen, and over no other.
  ///
  /// @throws IOException as {@link #claim(StreamId)}
  public ShardClaim claim(StreamId shard, Seen over) throws IOException, CorruptStreamException {
    return claim(shard, over, over.owner().epoch() + 1);
  }

  private Seen readable(StreamId shard) throws IOException, CorruptStreamException {
    try {
      return owner(shard)
          .orElseThrow(() ->
              new StreamFencedException(
                  String.format(
                      Locale.ROOT,
                      "there is no shard %d in cluster %s",
                      shard.shard(),
                      paths.cluster())));
    } catch (StreamFencedException e) {
      throw e;
    } catch (IOException e) {
      throw new StreamUnavailableException("the owner cannot be read", e);
    }
  }

  ShardClaim claim(StreamId shard, Seen over, long epoch)
      throws IOException, CorruptStreamException {
    if (over.owner().isClosed() && server.stateFormat() != ShardOwner.CLOSED) {
      throw new StreamFencedException(
          String.format(
              Locale.ROOT,
              "shard %d is closed to servers: it is being imported, or goes on in another cluster",
              shard.shard()));
    }
    if (over.owner().stateFormat() > server.stateFormat()) {
      throw new StreamFencedException(
          String.format(
              Locale.ROOT,
              "shard %d: its states have format %d, this software knows %d",
              shard.shard(),
              over.owner().stateFormat(),
              server.stateFormat()));
    }
    if (epoch <= over.owner().epoch()) {
      throw new StreamFencedException(
          String.format(
              Locale.ROOT,
              "shard %d: epoch %d is fenced by epoch %d",
              shard.shard(),
              epoch,
              over.owner().epoch()));
    }
    ShardOwner mine =
        new ShardOwner(
            epoch, server.name(), server.address(), server.stateFormat(), nonces.nextLong());
    remember(shard, mine);
    ShardClaim claim = new ShardClaim(shard, mine, put(shard, over, mine));
    held.put(shard, claim);
    return claim;
  }

  private void remember(StreamId shard, ShardOwner mine) {
    Deque<ShardOwner> its = sent.computeIfAbsent(shard, _ -> new ArrayDeque<>());
    synchronized (its) {
      its.addLast(mine);
      if (its.size() > SENT_MAX) {
        its.removeFirst();
      }
    }
  }

  /// Lets servers claim a shard that was claimed here and closed to them.
  ///
  /// @param stateFormat of its savepoint
  void open(ShardClaim claim, int stateFormat) throws IOException {
    ShardOwner now =
        new ShardOwner(
            claim.epoch(), server.name(), server.address(), stateFormat, nonces.nextLong());
    changes(claim)
        .commit(List.of(new Change.Put(paths.owner(claim.shard()), now.encode(), claim.version())));
  }

  /// Whether an owner is a claim that was made here, and not by another process of the same name.
  public boolean isOwn(StreamId shard, Seen seen) {
    Deque<ShardOwner> its = sent.get(shard);
    if (its == null) {
      return false;
    }
    synchronized (its) {
      return its.contains(seen.owner());
    }
  }

  /// @return the version that the owner's path has now
  private int put(StreamId shard, Seen over, ShardOwner mine)
      throws IOException, CorruptStreamException {
    Change put = new Change.Put(paths.owner(shard), mine.encode(), over.version());
    OutcomeUnknownException unknown = null;
    for (int sent = 0; sent < TRIES; sent++) {
      try {
        coordination.commit(List.of(put));
        return over.version() + 1;
      } catch (OutcomeUnknownException e) {
        unknown = e;
      } catch (ChangeRefusedException e) {
        if (unknown == null) {
          throw lost(shard, mine, e);
        }
        Optional<Seen> there = after(shard, unknown);
        if (there.isPresent()) {
          if (there.get().owner().equals(mine)) {
            return there.get().version();
          }
          throw lost(shard, mine, e);
        }
      } catch (IOException e) {
        if (unknown == null) {
          throw new StreamUnavailableException("the claim could not be sent", e);
        }
        unknown.addSuppressed(e);
      }
    }
    throw new OutcomeUnknownException("no answer to the claim", unknown);
  }

  /// What stands there after a refusal; empty if it cannot be read.
  private Optional<Seen> after(StreamId shard, OutcomeUnknownException unknown)
      throws CorruptStreamException {
    try {
      return owner(shard);
    } catch (IOException e) {
      unknown.addSuppressed(e);
      return Optional.empty();
    }
  }

  private static StreamFencedException lost(
      StreamId shard, ShardOwner mine, ChangeRefusedException cause) {
    StreamFencedException lost =
        new StreamFencedException(
            String.format(
                Locale.ROOT,
                "shard %d: another claimed it before epoch %d could",
                shard.shard(),
                mine.epoch()));
    lost.initCause(cause);
    return lost;
  }

  /// The newest claim that this server made on a shard, held or lost since.
  Optional<ShardClaim> held(StreamId shard) {
    return Optional.ofNullable(held.get(shard));
  }

  /// Shows, by writing, that a claim holds: nobody had claimed the shard when this was called.
  ///
  /// @throws StreamFencedException if another has claimed it
  /// @throws IOException as {@link OwnedChanges#commit}
  public void confirm(ShardClaim claim) throws IOException {
    Change beat =
        new Change.Put(
            paths.lease(claim.shard()),
            ValueFields.write(new CborWriter(), nonces.nextLong()).toBytes(),
            Change.ANY);
    changes(claim).commit(List.of(beat));
  }

  OwnedChanges changes(ShardClaim claim) {
    return new OwnedChanges(coordination, paths, claim);
  }
}
