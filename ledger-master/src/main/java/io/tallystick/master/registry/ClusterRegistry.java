package io.tallystick.master.registry;

import io.tallystick.master.coordinated.ReadsBehindWrites;
import io.tallystick.master.coordinated.SettledChanges;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.ChangeRefusedException.Reason;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.replicated.OutcomeUnknownException;
import io.tallystick.storage.replicated.ShardClaim;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/// Which shard has a ledger. The server that owns a shard registers a ledger after it has verified
/// the founding and before it sequences it; what is registered is never changed. Thread-safe.
public final class ClusterRegistry {
  private static final int FIRST_BYTES = 256;

  /// Indexes of the changes that a registration is made of.
  private static final int OWNER = 0;

  private static final int WHOLE = 1;

  /// Ledgers that are registered together.
  private static final int TOGETHER = 256;

  /// Times that a registration looks whether the registry is whole again.
  private static final int TRIES = 3;

  private final Coordination coordination;
  private final SettledChanges changes;
  private final ReadsBehindWrites reads;
  private final ClusterPaths paths;
  private final RandomGenerator nonces;

  /// What {@link #found} answers.
  ///
  /// @param shard that has the ledger, or may found it: it was registered there, now or before
  /// @param isNew whether this call registered it
  public record Registration(int shard, boolean isNew) {}

  /// @param nonces thread-safe
  public ClusterRegistry(Coordination coordination, ClusterPaths paths, RandomGenerator nonces) {
    this.coordination = coordination;
    this.changes = new SettledChanges(coordination);
    this.reads = new ReadsBehindWrites(coordination, paths.beat(), nonces);
    this.paths = paths;
    this.nonces = nonces;
  }

  /// An empty registry, to be made together with the cluster's identity and never again.
  public static List<Change> creation(ClusterPaths paths, long nonce) {
    List<Change> all = new ArrayList<>();
    Bytes whole = new RegistryState(true, nonce).encode();
    all.add(new Change.Create(paths.ledgers(), whole, false));
    for (int first = 0; first < FIRST_BYTES; first++) {
      all.add(new Change.Create(paths.ledgers(first), Bytes.EMPTY, false));
    }
    return all;
  }

  /// Registers a ledger for a shard, if the claim holds and the ledger is registered for none. A
  /// founding goes on only in the shard that is answered. If it does not come to pass there, the
  /// ledger stays registered, and may be founded there later.
  ///
  /// @throws StreamFencedException if another has claimed the shard
  /// @throws RegistryUnavailableException if the registry is being rebuilt
  /// @throws OutcomeUnknownException if no answer came; it may be registered
  /// @throws IOException if it could not be sent; it is not registered
  public Registration found(ShardClaim claim, LedgerId ledger)
      throws IOException, CorruptStreamException {
    RegisteredLedger mine = new RegisteredLedger(claim.shard().shard(), nonces.nextLong());
    for (int tried = 1; ; tried++) {
      int whole = requireWhole().version();
      try {
        changes.commit(
            List.of(
                new Change.Check(paths.owner(claim.shard()), claim.version()),
                new Change.Check(paths.ledgers(), whole),
                new Change.Create(paths.ledger(ledger), mine.encode(), false)));
        return new Registration(mine.shard(), true);
      } catch (ChangeRefusedException e) {
        if (e.index() == OWNER) {
          throw fenced(claim, e);
        }
        if (e.index() == WHOLE && tried < TRIES) {
          continue;
        }
        if (e.reason() != Reason.EXISTS) {
          throw e;
        }
        return registered(ledger, mine, e);
      }
    }
  }

  private Registration registered(
      LedgerId ledger, RegisteredLedger mine, ChangeRefusedException cause)
      throws IOException, CorruptStreamException {
    RegisteredLedger there =
        read(ledger).orElseThrow(() -> new IOException("a registered ledger is gone", cause));
    return new Registration(there.shard(), there.equals(mine));
  }

  private static StreamFencedException fenced(ShardClaim claim, ChangeRefusedException cause) {
    StreamFencedException fenced =
        new StreamFencedException(
            String.format(
                Locale.ROOT,
                "shard %d: another has claimed it since epoch %d",
                claim.shard().shard(),
                claim.epoch()));
    fenced.initCause(cause);
    return fenced;
  }

  /// The shard that has a ledger. None means: when this was called, no shard had it.
  ///
  /// @throws RegistryUnavailableException if the registry is being rebuilt
  /// @throws IOException if nothing is known of the ledger
  public OptionalInt find(LedgerId ledger) throws IOException, CorruptStreamException {
    Optional<RegisteredLedger> there = read(ledger);
    if (there.isEmpty()) {
      int before = requireWhole().version();
      reads.catchUp();
      there = read(ledger);
      if (there.isEmpty() && requireWhole().version() != before) {
        throw new RegistryUnavailableException("the registry of ledgers was just rebuilt");
      }
    }
    return there.isEmpty() ? OptionalInt.empty() : OptionalInt.of(there.get().shard());
  }

  /// Whether a ledger is registered for a shard: reads all there are.
  public boolean hasLedgers(int shard) throws IOException, CorruptStreamException {
    reads.catchUp();
    for (int first = 0; first < FIRST_BYTES; first++) {
      for (String ledger : coordination.children(paths.ledgers(first))) {
        String path = paths.ledgers(first) + "/" + ledger;
        Optional<Versioned> there = coordination.read(path);
        if (there.isPresent() && RegisteredLedger.decode(path, there.get()).shard() == shard) {
          return true;
        }
      }
    }
    return false;
  }

  /// Refuses ledgers that another shard has.
  ///
  /// @throws LedgerInTwoShardsException if one is registered for another shard
  public void checkFree(int shard, Collection<LedgerId> ledgers)
      throws IOException, CorruptStreamException, LedgerInTwoShardsException {
    reads.catchUp();
    var _ = unregistered(shard, ledgers);
  }

  private List<LedgerId> unregistered(int shard, Collection<LedgerId> ledgers)
      throws IOException, CorruptStreamException, LedgerInTwoShardsException {
    List<LedgerId> free = new ArrayList<>();
    for (LedgerId ledger : ledgers) {
      Optional<RegisteredLedger> there = read(ledger);
      if (there.isEmpty()) {
        free.add(ledger);
      } else if (there.get().shard() != shard) {
        throw new LedgerInTwoShardsException(
            ledger, there.get().shard(), shard, "it is registered for the first");
      }
    }
    return free;
  }

  /// Registers ledgers that a shard has brought with it; those that are registered for it stay.
  ///
  /// @throws LedgerInTwoShardsException if one is registered for another shard
  /// @throws RegistryUnavailableException if the registry is being rebuilt
  /// @throws IOException if it is not known how far this came: it can be called again
  public void adopt(int shard, Collection<LedgerId> ledgers)
      throws IOException, CorruptStreamException, LedgerInTwoShardsException {
    Change whole = new Change.Check(paths.ledgers(), requireWhole().version());
    List<LedgerId> free = unregistered(shard, ledgers);
    for (int from = 0; from < free.size(); from += TOGETHER) {
      List<Change> some = new ArrayList<>(List.of(whole));
      for (LedgerId ledger : free.subList(from, Math.min(free.size(), from + TOGETHER))) {
        Bytes value = new RegisteredLedger(shard, nonces.nextLong()).encode();
        some.add(new Change.Create(paths.ledger(ledger), value, false));
      }
      changes.commit(some);
    }
  }

  private Optional<RegisteredLedger> read(LedgerId ledger)
      throws IOException, CorruptStreamException {
    String path = paths.ledger(ledger);
    Optional<Versioned> there = coordination.read(path);
    return there.isEmpty()
        ? Optional.empty()
        : Optional.of(RegisteredLedger.decode(path, there.get()));
  }

  private Versioned requireWhole() throws IOException, CorruptStreamException {
    Optional<Versioned> there = coordination.read(paths.ledgers());
    if (there.isEmpty()) {
      throw new RegistryUnavailableException("the registry of ledgers is lost; rebuild it");
    }
    if (!RegistryState.decode(paths.ledgers(), there.get()).whole()) {
      throw new RegistryUnavailableException("the registry of ledgers is being rebuilt");
    }
    return there.get();
  }
}
