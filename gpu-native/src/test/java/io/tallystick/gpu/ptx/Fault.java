package io.tallystick.gpu.ptx;

/// Why a launch was stopped. On a device most of these are undefined behaviour.
public enum Fault {
  OUT_OF_BOUNDS,
  MISALIGNED,
  READ_ONLY,
  UNINITIALISED_REGISTER,
  DIVISION_BY_ZERO,
  DIVERGENT_BARRIER,
  /// A warp-wide instruction's mask names a lane that has exited, never was, or passes another
  /// mask; or it leaves out the lane that executes it or the lane that is read.
  WRONG_MASK,
  DEADLOCK,
  INSTRUCTION_LIMIT,
  CALL_DEPTH,
  TRAP
}
