package io.tallystick.master.identity;

/// There is no cluster of that name.
public final class NoClusterException extends Exception {
  private static final long serialVersionUID = 1;

  NoClusterException(String cluster) {
    super("there is no cluster " + cluster + "; tally cluster init founds one");
  }
}
