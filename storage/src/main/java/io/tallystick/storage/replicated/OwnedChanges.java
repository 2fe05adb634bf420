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
        if (unknown == null || !isDone(changes)) {
          throw e;
        }
        return;
      } catch (IOException e) {
        if (unknown == null) {
          throw new StreamUnavailableException("the owner's change could not be sent", e);
        }
        unknown.addSuppressed(e);
      }
    }
    throw new OutcomeUnknownException("no answer to the owner's change", unknown);
  }

  /// Whether what stands at the paths is what the changes make; they are made together, so one that
  /// can tell is enough.
  private boolean isDone(List<Change> changes) throws IOException {
    for (Change change : changes) {
      Optional<Versioned> there = coordination.read(change.path());
      boolean done =
          switch (change) {
            case Change.Check _ -> true;
            case Change.Create create -> holds(there, create.value());
            case Change.Put put -> holds(there, put.value());
            case Change.Delete _ -> there.isEmpty();
          };
      if (!done) {
        return false;
      }
    }
    return true;
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
