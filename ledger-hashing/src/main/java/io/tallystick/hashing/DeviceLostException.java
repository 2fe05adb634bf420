package io.tallystick.hashing;

/// A device did not finish a call: it was lost, ran out of memory, or answered with an error. What
/// it was to write is undefined; the CPU computes the call again.
public final class DeviceLostException extends Exception {
  private static final long serialVersionUID = 1;

  public DeviceLostException(String message) {
    super(message);
  }

  public DeviceLostException(String message, Throwable cause) {
    super(message, cause);
  }
}
