package io.tallystick.master.coordinated;

import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.replicated.OutcomeUnknownException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Makes changes whose outcome becomes known. One whose answer was lost is sent again, and is known
/// by the nonce in what it wrote. Thread-safe.
public final class SettledChanges {
  /// Times that a change is sent before its outcome stays unknown.
  private static final int TRIES = 5;

  private final Coordination coordination;

  public SettledChanges(Coordination coordination) {
    this.coordination = coordination;
  }

  /// Makes all changes or none.
  ///
  /// @param changes each value that they write is empty or has a nonce of its own
  /// @throws ChangeRefusedException if one of them cannot be made; if an answer was lost before
  ///   that, they may have been made and what they wrote been changed since
  /// @throws OutcomeUnknownException if no answer came however often they were sent
  /// @throws IOException if they could not be sent; none is made
  public void commit(List<Change> changes) throws IOException {
    OutcomeUnknownException unknown = null;
    for (int sent = 0; sent < TRIES; sent++) {
      try {
        coordination.commit(changes);
        return;
      } catch (OutcomeUnknownException e) {
        unknown = e;
      } catch (ChangeRefusedException e) {
        if (unknown == null) {
          throw e;
        }
        try {
          if (!isDone(changes)) {
            throw e;
          }
          return;
        } catch (ChangeRefusedException refused) {
          throw refused;
        } catch (IOException unread) {
          unknown.addSuppressed(unread); // they may have been made: the next try tells
        }
      } catch (IOException e) {
        if (unknown == null) {
          throw e;
        }
        unknown.addSuppressed(e);
      }
    }
    throw new OutcomeUnknownException("no answer to a change", unknown);
  }

  /// Whether a value stands there that only these changes write; they are made together.
  private boolean isDone(List<Change> changes) throws IOException {
    for (Change change : changes) {
      Bytes written =
          switch (change) {
            case Change.Create create -> create.value();
            case Change.Put put -> put.value();
            case Change.Check _, Change.Delete _ -> Bytes.EMPTY;
          };
      if (!written.isEmpty() && stands(change.path(), written)) {
        return true;
      }
    }
    return false;
  }

  private boolean stands(String path, Bytes value) throws IOException {
    Optional<Versioned> there = coordination.read(path);
    return there.isPresent() && there.get().value().equals(value);
  }
}
