package io.tallystick.gpu;

/// There is no device to hash on; the message says why, in one line for people.
public final class DeviceUnavailableException extends Exception {
  private static final long serialVersionUID = 1;

  public DeviceUnavailableException(String why) {
    super(why);
  }

  public DeviceUnavailableException(String why, Throwable cause) {
    super(why, cause);
  }
}
