package io.tallystick.master.registry;

import io.tallystick.master.coordinated.ReadsBehindWrites;
import io.tallystick.master.coordinated.SettledChanges;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/// Makes a registry that was lost, in whole or in part, from the shards. No ledger is founded
/// meanwhile, in the whole cluster. After a failure the registry stays closed until a rebuild
/// succeeds. One thread uses it.
public final class RegistryRebuild {
  private static final int FIRST_BYTES = 256;

  /// Ledgers that are registered together.
  private static final int TOGETHER = 256;

  private final Coordination coordination;
  private final SettledChanges changes;
  private final ReadsBehindWrites reads;
  private final ClusterPaths paths;
  private final RandomGenerator nonces;

  /// Tells which ledgers the shards have.
  @FunctionalInterface
  public interface ShardLedgers {
    /// All ledgers of every shard, as its owner knows them under its lease, asked after this call.
    Map<Integer, ? extends Collection<LedgerId>> read() throws IOException;
  }

  public RegistryRebuild(Coordination coordination, ClusterPaths paths, RandomGenerator nonces) {
    this.coordination = coordination;
    this.changes = new SettledChanges(coordination);
    this.reads = new ReadsBehindWrites(coordination, paths.beat(), nonces);
    this.paths = paths;
    this.nonces = nonces;
  }

  /// Closes the registry, asks the shards, registers what is missing, and opens it again.
  ///
  /// @return how many ledgers were missing
  /// @throws LedgerInTwoShardsException if two shards have a ledger, or it is registered for another
  ///   shard than the one that has it
  /// @throws ChangeRefusedException if another rebuild began meanwhile
  public int run(ShardLedgers shards)
      throws IOException, CorruptStreamException, LedgerInTwoShardsException {
    Change.Check closed = new Change.Check(paths.ledgers(), close());
    SortedMap<LedgerId, Integer> found = merged(shards.read());
    makeFirstBytes(closed);
    List<Change> missing = missing(found);
    for (int from = 0; from < missing.size(); from += TOGETHER) {
      List<Change> some = new ArrayList<>();
      some.add(closed);
      some.addAll(missing.subList(from, Math.min(missing.size(), from + TOGETHER)));
      changes.commit(some);
    }
    changes.commit(List.of(new Change.Put(paths.ledgers(), state(true), closed.version())));
    return missing.size();
  }

  private Bytes state(boolean whole) {
    return new RegistryState(whole, nonces.nextLong()).encode();
  }

  /// @return the version by which this rebuild knows that no other has begun
  private int close() throws IOException {
    reads.catchUp();
    Optional<Versioned> there = coordination.read(paths.ledgers());
    if (there.isEmpty()) {
      changes.commit(List.of(new Change.Create(paths.ledgers(), state(false), false)));
      return 0;
    }
    int version = there.get().version();
    changes.commit(List.of(new Change.Put(paths.ledgers(), state(false), version)));
    return version + 1;
  }

  private static SortedMap<LedgerId, Integer> merged(
      Map<Integer, ? extends Collection<LedgerId>> shards) throws LedgerInTwoShardsException {
    SortedMap<LedgerId, Integer> all = new TreeMap<>();
    for (Map.Entry<Integer, ? extends Collection<LedgerId>> shard :
        new TreeMap<>(shards).entrySet()) {
      for (LedgerId ledger : shard.getValue()) {
        Integer other = all.putIfAbsent(ledger, shard.getKey());
        if (other != null && !other.equals(shard.getKey())) {
          throw new LedgerInTwoShardsException(ledger, other, shard.getKey(), "both have it");
        }
      }
    }
    return all;
  }

  private void makeFirstBytes(Change.Check closed) throws IOException {
    Set<String> there = new HashSet<>(coordination.children(paths.ledgers()));
    List<Change> missing = new ArrayList<>();
    missing.add(closed);
    for (int first = 0; first < FIRST_BYTES; first++) {
      String path = paths.ledgers(first);
      if (!there.contains(path.substring(path.lastIndexOf('/') + 1))) {
        missing.add(
            new Change.Create(path, SharedValue.ofNonce(nonces.nextLong()), false));
      }
    }
    if (missing.size() > 1) {
      changes.commit(missing);
    }
  }

  private List<Change> missing(SortedMap<LedgerId, Integer> found)
      throws IOException, CorruptStreamException, LedgerInTwoShardsException {
    List<Change> missing = new ArrayList<>();
    for (Map.Entry<LedgerId, Integer> each : found.entrySet()) {
      String path = paths.ledger(each.getKey());
      Optional<Versioned> there = coordination.read(path);
      if (there.isEmpty()) {
        Bytes value = new RegisteredLedger(each.getValue(), nonces.nextLong()).encode();
        missing.add(new Change.Create(path, value, false));
        continue;
      }
      int registered = RegisteredLedger.decode(path, there.get()).shard();
      if (registered != each.getValue()) {
        throw new LedgerInTwoShardsException(
            each.getKey(), registered, each.getValue(), "it is registered for the first");
      }
    }
    return missing;
  }
}
