package io.tallystick.cluster.zoo;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;

/// The clock of ZooKeeper's leader: the time at which it orders a change.
public final class ZooKeeperClock {
  private final CuratorFramework curator;
  private final String path;
  private final Supplier<Bytes> values;

  /// @param path that anybody may put at any time
  /// @param values to be put
  public ZooKeeperClock(CuratorFramework curator, String path, Supplier<Bytes> values) {
    this.curator = curator;
    this.path = path;
    this.values = values;
  }

  /// In milliseconds since 1970, at some moment of this call.
  ///
  /// @throws IOException if no change could be made
  public long timeMs() throws IOException {
    try {
      return curator.setData().forPath(path, values.get().toArray()).getMtime();
    } catch (Exception e) { // Curator declares no narrower one
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new IOException("ZooKeeper does not tell its time: " + e.getMessage(), e);
    }
  }
}
