package io.tallystick.bench.figure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Resident memory of a process, as Linux counts it: mapped files and caches included.
///
/// @param residentBytes now
/// @param peakBytes the most it ever was
public record ProcessMemory(long residentBytes, long peakBytes) {
  /// @throws IOException if there is no such process, or no `/proc`
  public static ProcessMemory of(long pid) throws IOException {
    long resident = 0;
    long peak = 0;
    for (String line : Files.readAllLines(Path.of("/proc", String.valueOf(pid), "status"))) {
      if (line.startsWith("VmRSS:")) {
        resident = bytes(line);
      } else if (line.startsWith("VmHWM:")) {
        peak = bytes(line);
      }
    }
    return new ProcessMemory(resident, peak);
  }

  private static long bytes(String line) {
    return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
  }

  public static double megabytes(long bytes) {
    return bytes / 1e6;
  }
}
