package io.tallystick.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;

/// Whether there is a CUDA driver. JCuda's classes cannot be loaded without one, and not at a later
/// time either once that has failed; so this is asked first, without them.
final class DriverProbe {
  private DriverProbe() {}

  /// @param library as the system's loader finds it
  @SuppressWarnings("restricted") // its initialisers run, as they do when JCuda loads it
  static void check(String library) throws DeviceUnavailableException {
    try (Arena arena = Arena.ofConfined()) {
      if (SymbolLookup.libraryLookup(library, arena).find("cuInit").isEmpty()) {
        throw new DeviceUnavailableException(library + " is not a CUDA driver");
      }
    } catch (IllegalArgumentException e) {
      throw new DeviceUnavailableException("no CUDA driver: " + library + " cannot be loaded", e);
    }
  }
}
