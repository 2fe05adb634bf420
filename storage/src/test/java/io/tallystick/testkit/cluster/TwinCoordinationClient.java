package io.tallystick.testkit.cluster;

import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.OutcomeUnknownException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// One server's access to a {@link TwinCoordination}. It holds no monitor while it takes a step.
final class TwinCoordinationClient implements Coordination {
  private final TwinCoordination twin;
  private final Steps steps;

  /// Number of the newest commit that it was shown.
  private long seen;

  TwinCoordinationClient(TwinCoordination twin, Steps steps) {
    this.twin = twin;
    this.steps = steps;
  }

  @Override
  public Optional<Versioned> read(String path) throws IOException {
    steps.step("read " + path);
    synchronized (twin) {
      look();
      TwinCoordination.Node node = twin.read(path, seen);
      Bytes value = node == null ? null : node.value();
      return value == null || node == null
          ? Optional.empty()
          : Optional.of(new Versioned(value, node.version()));
    }
  }

  @Override
  public List<String> children(String path) throws IOException {
    steps.step("children of " + path);
    synchronized (twin) {
      look();
      return twin.children(path, seen);
    }
  }

  /// Sees as much as chance will have it, and never less than before.
  private void look() throws IOException {
    requireReachable();
    long unseen = twin.newest() - seen;
    boolean old = unseen > 0 && twin.befalls(twin.faults().oldReads());
    seen += old ? twin.random().nextLong(unseen) : unseen;
  }

  private void requireReachable() throws IOException {
    if (twin.befalls(twin.faults().unreachable())) {
      throw new IOException("it cannot be reached");
    }
  }

  @Override
  public void commit(List<Change> changes) throws IOException {
    String what = changes.getLast().getClass().getSimpleName() + " " + changes.getLast().path();
    steps.step(what);
    synchronized (twin) {
      requireReachable();
      twin.catchUp();
      if (twin.befalls(twin.faults().lostAnswers())) {
        loseAnswer(changes);
      }
      try {
        twin.commit(changes, this);
      } finally {
        seen = twin.newest();
      }
    }
    steps.step("done: " + what);
  }

  private void loseAnswer(List<Change> changes) throws OutcomeUnknownException {
    switch (twin.random().nextInt(3)) {
      case 0 -> doSilently(changes);
      case 1 -> twin.keep(changes, this);
      default -> {} // it was lost on the way
    }
    throw new OutcomeUnknownException("no answer");
  }

  private void doSilently(List<Change> changes) {
    try {
      twin.commit(changes, this);
    } catch (ChangeRefusedException _) {
      // Its sender is not told.
    }
  }
}
