package io.tallystick.master.coordinated;

import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.OutcomeUnknownException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Makes the first change, loses the answer, and cannot be read some times after that. One thread
/// uses it.
final class LostAnswer implements Coordination {
  private final Coordination real;
  private int unreadable;
  private int unread;
  private boolean lost;

  /// @param unreadable reads that fail
  LostAnswer(Coordination real, int unreadable) {
    this.real = real;
    this.unreadable = unreadable;
  }

  /// Reads that have failed.
  int unread() {
    return unread;
  }

  @Override
  public Optional<Versioned> read(String path) throws IOException {
    if (unreadable > 0) {
      unreadable--;
      unread++;
      throw new IOException("out of reach");
    }
    return real.read(path);
  }

  @Override
  public List<String> children(String path) throws IOException {
    return real.children(path);
  }

  @Override
  public void commit(List<Change> changes) throws IOException {
    real.commit(changes);
    if (!lost) {
      lost = true;
      throw new OutcomeUnknownException("the answer was lost", new IOException("reset"));
    }
  }
}
