package io.tallystick.master.registry;

import java.io.IOException;

/// The registry is being rebuilt, or has been lost: it cannot say that a ledger is unknown, and
/// none is founded.
public final class RegistryUnavailableException extends IOException {
  private static final long serialVersionUID = 1;

  RegistryUnavailableException(String message) {
    super(message);
  }
}
