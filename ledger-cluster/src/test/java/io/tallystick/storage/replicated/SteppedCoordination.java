package io.tallystick.storage.replicated;

import io.tallystick.testkit.cluster.Steps;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// A coordination of which each change is a step.
record SteppedCoordination(Coordination coordination, Steps steps) implements Coordination {
  @Override
  public Optional<Versioned> read(String path) throws IOException {
    return coordination.read(path);
  }

  @Override
  public List<String> children(String path) throws IOException {
    return coordination.children(path);
  }

  @Override
  public void commit(List<Change> changes) throws IOException {
    steps.step("commit");
    coordination.commit(changes);
    steps.step("committed");
  }
}
