package io.tallystick.storage.replicated;

import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Makes the changes of a shard's owner: all of them only as long as it is the owner. A change
/// whose answer was lost is sent again, and is known by the nonce in what it wrote.
final class OwnedChanges {
  /// Times that a change is sent before its outcome stays unknown.
  private static final int TRIES = 5;

  private final Coordination coordination;
  private final ClusterPaths paths;
  private final ShardClaim claim;

  OwnedChanges(Coordination coordination, ClusterPaths paths, ShardClaim claim) {
    this.coordination = coordination;
    this.paths = paths;
    this.claim = claim;
  }

  ShardClaim claim() {
    return claim;
  }

  /// Makes all changes or none.
  ///
  /// @param changes each value that they write has a nonce of its own
  /// @throws StreamFencedException if another has claimed the shard; whether an earlier try was
  ///   done before that is not known
  /// @throws ChangeRefusedException if another reason forbids one of them
  /// @throws StreamUnavailableException if they could not be sent; none is made
  /// @throws OutcomeUnknownException if no answer came however often they were sent
  void commit(List<Change> changes) throws IOException {
    List<Change> owned = new ArrayList<>();
    owned.add(new Change.Check(paths.owner(claim.shard()), claim.version()));
    owned.addAll(changes);
    OutcomeUnknownException unknown = null;
    for (int sent = 0; sent < TRIES; sent++) {
      try {
        coordination.commit(owned);
        return;
      } catch (OutcomeUnknownException e) {
        unknown = e;
      } catch (ChangeRefusedException e) {
        if (e.index() == 0) {
          throw fenced(e);
        }
        if (unknown == null) {
          throw e;
        }
        if (isKnown(changes, unknown)) {
          return;
        }
      } catch (IOException e) {
        if (unknown == null) {
          throw new StreamUnavailableException("the owner's change could not be sent", e);
        }
        unknown.addSuppressed(e);
      }
    }
    throw new OutcomeUnknownException("no answer to the owner's change", unknown);
  }

  /// Looks whether an earlier try was done: then what stands at the paths is what the changes make,
  /// nonces and all.
  ///
  /// @return false if it cannot be seen
  /// @throws OutcomeUnknownException if something else stands there, though the shard is ours
  private boolean isKnown(List<Change> changes, OutcomeUnknownException unknown)
      throws OutcomeUnknownException {
    try {
      for (Change change : changes) {
        if (!stands(change, coordination.read(change.path()))) {
          throw new OutcomeUnknownException("something else stands at " + change.path(), unknown);
        }
      }
      return true;
    } catch (OutcomeUnknownException e) {
      throw e;
    } catch (IOException e) {
      unknown.addSuppressed(e);
      return false;
    }
  }

  private static boolean stands(Change change, Optional<Versioned> there) {
    return switch (change) {
      case Change.Check _ -> true;
      case Change.Create create -> holds(there, create.value());
      case Change.Put put -> holds(there, put.value());
      case Change.Delete _ -> there.isEmpty();
    };
  }

  private static boolean holds(Optional<Versioned> there, Bytes value) {
    return there.isPresent() && there.get().value().equals(value);
  }

  private StreamFencedException fenced(ChangeRefusedException cause) {
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
}
