package io.tallystick.server.shard;

import io.tallystick.server.seal.BlockIndexStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The block indexes that a shard has open, one store for each feature. Not thread-safe.
final class OpenIndexes implements AutoCloseable {
  private final List<BlockIndexStore<?>> stores = new ArrayList<>();

  void add(BlockIndexStore<?> store) {
    stores.add(store);
  }

  List<BlockIndexStore<?>> stores() {
    return List.copyOf(stores);
  }

  /// Closes them in the opposite order; each even if another fails.
  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (BlockIndexStore<?> store : stores.reversed()) {
      try {
        store.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
