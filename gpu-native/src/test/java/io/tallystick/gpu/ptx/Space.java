package io.tallystick.gpu.ptx;

import java.util.Locale;
import java.util.Optional;

/// A state space of PTX. Shared, local and constant memory have addresses of their own, and a
/// window among the generic addresses; a global address is its own generic address.
enum Space {
  GENERIC(0),
  GLOBAL(0),
  SHARED(0x7001_0000_0000L),
  LOCAL(0x7002_0000_0000L),
  CONST(0x7003_0000_0000L),
  PARAM(0);

  private static final long WINDOW_BYTES = 1L << 32;

  private final long window;

  Space(long window) {
    this.window = window;
  }

  static Optional<Space> named(String name) {
    for (Space space : values()) {
      if (space != GENERIC && space.name().toLowerCase(Locale.ROOT).equals(name)) {
        return Optional.of(space);
      }
    }
    return Optional.empty();
  }

  /// The space in which a generic address lies.
  static Space ofGeneric(long address) {
    for (Space space : values()) {
      if (space.window != 0 && address >= space.window && address < space.window + WINDOW_BYTES) {
        return space;
      }
    }
    return GLOBAL;
  }

  /// Generic address = address in the space + this.
  long window() {
    return window;
  }
}
