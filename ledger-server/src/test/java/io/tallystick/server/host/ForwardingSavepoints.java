package io.tallystick.server.host;

import io.tallystick.model.Bytes;
import io.tallystick.server.ship.SavepointRefusedException;
import io.tallystick.server.ship.SavepointStore;
import io.tallystick.server.ship.ShippedPiece;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// Does what another store does; a test changes what it says.
class ForwardingSavepoints implements SavepointStore {
  private final SavepointStore store;

  ForwardingSavepoints(SavepointStore store) {
    this.store = store;
  }

  @Override
  public Upload begin(long epoch) throws IOException {
    return store.begin(epoch);
  }

  @Override
  public ByteBuffer get(ShippedPiece piece) throws IOException, SavepointRefusedException {
    return store.get(piece);
  }

  @Override
  public List<Part> list() throws IOException {
    return store.list();
  }

  @Override
  public void delete(Bytes part) throws IOException {
    store.delete(part);
  }
}
