package io.tallystick.node;

/// The answer where all that matters is that nothing was refused.
public enum Done {
  DONE
}
