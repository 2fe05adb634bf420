package io.tallystick.testkit.fault;

import java.io.IOException;

/// The machine under test has crashed: nothing of it works any more.
public final class CrashedException extends IOException {
  private static final long serialVersionUID = 1;

  CrashedException(int operation) {
    super("crashed at operation " + operation);
  }
}
