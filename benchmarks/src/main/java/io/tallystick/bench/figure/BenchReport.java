package io.tallystick.bench.figure;

import java.util.List;

/// All cases of one benchmark run with where and on what they were measured.
///
/// @param commit of the sources, or `unknown`
public record BenchReport(String benchmark, Machine machine, String commit, List<BenchCase> cases) {
  /// @param memoryBytes of the whole machine; 0 if unknown
  public record Machine(int processors, String cpu, long memoryBytes, String os, String jdk) {}
}
