package io.tallystick.hashing;

/// Whether a device hashes, for logs, health and metrics.
public sealed interface Support {
  /// @param device its name and what is known of it, for people
  record Available(String device) implements Support {}

  /// @param why no device hashes, for people
  record Unsupported(String why) implements Support {}
}
