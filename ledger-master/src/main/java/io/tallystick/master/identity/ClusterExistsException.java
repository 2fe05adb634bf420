package io.tallystick.master.identity;

/// A cluster of that name is there, and no other takes its place.
public final class ClusterExistsException extends Exception {
  private static final long serialVersionUID = 1;

  ClusterExistsException(String cluster) {
    super("there is a cluster " + cluster + " already");
  }
}
