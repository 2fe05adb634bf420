package io.tallystick.gpu;

/// The device has no room for what was asked for; it goes on working.
public final class DeviceFullException extends Exception {
  private static final long serialVersionUID = 1;

  public DeviceFullException(String message) {
    super(message);
  }
}
