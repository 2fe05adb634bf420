package io.tallystick.crypto.provider;

/// A provider that cannot run on this machine, and why.
final class UnsupportedPlatformException extends Exception {
  private static final long serialVersionUID = 1;

  UnsupportedPlatformException(String message, Throwable cause) {
    super(message, cause);
  }
}
