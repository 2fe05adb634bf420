package io.tallystick.server.ship;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.replicated.SavepointPath;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The pointer at a shard's `savepoint` path. Source: docs/formats/replicated.md.
public final class SharedPointer implements SavepointPointer {
  private final SavepointPath path;

  public SharedPointer(SavepointPath path) {
    this.path = path;
  }

  @Override
  public long epoch() throws IOException {
    return path.epoch();
  }

  @Override
  public List<PublishedSavepoint> read() throws IOException, CorruptStreamException {
    Optional<SavepointPath.Value> value = path.read();
    return value.isEmpty() ? List.of() : decode(value.get().value());
  }

  private static List<PublishedSavepoint> decode(Bytes value) throws CorruptStreamException {
    try {
      return PublishedSavepoint.decode(value);
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "pointer to savepoints", 0, String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public void publish(long epoch, List<PublishedSavepoint> newestFirst)
      throws IOException, CorruptStreamException {
    int version = path.read().map(SavepointPath.Value::version).orElse(SavepointPath.ABSENT);
    path.write(epoch, PublishedSavepoint.encode(newestFirst), version);
  }

  @Override
  public Pin pin(PublishedSavepoint savepoint) throws IOException {
    String name = path.pin(PublishedSavepoint.encode(List.of(savepoint)));
    return () -> path.unpin(name);
  }

  @Override
  public List<PublishedSavepoint> pinned() throws IOException, CorruptStreamException {
    List<PublishedSavepoint> pinned = new ArrayList<>();
    for (Bytes pin : path.pins()) {
      pinned.addAll(decode(pin));
    }
    return pinned;
  }
}
