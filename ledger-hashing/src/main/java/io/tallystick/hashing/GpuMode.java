package io.tallystick.hashing;

/// Whether a device hashes, as `--gpu` says.
public enum GpuMode {
  /// If there is one that works.
  AUTO,
  /// Never; nothing is looked for.
  OFF,
  /// A program without one does not start.
  REQUIRE
}
