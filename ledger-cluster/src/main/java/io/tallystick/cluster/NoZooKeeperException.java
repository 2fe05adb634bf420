package io.tallystick.cluster;

import java.io.IOException;

/// ZooKeeper did not answer in time: nothing is known of the cluster.
public final class NoZooKeeperException extends IOException {
  private static final long serialVersionUID = 1;

  NoZooKeeperException(String zooKeeper) {
    super("ZooKeeper does not answer at " + zooKeeper);
  }
}
