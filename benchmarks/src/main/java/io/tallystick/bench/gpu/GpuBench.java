package io.tallystick.bench.gpu;

import io.tallystick.bench.figure.MeasuredCases;
import io.tallystick.gpu.DeviceProperties;
import io.tallystick.gpu.Gpu;
import io.tallystick.gpu.KernelDevice;
import io.tallystick.hashing.HashDevice;

/// The cases of `tally bench gpu`.
public final class GpuBench {
  private GpuBench() {}

  /// @param gpu that has a device
  /// @throws IllegalStateException if it has no room for what cases allocate, or was lost
  public static MeasuredCases cases(Gpu gpu, GpuSizes sizes) {
    HashDevice device = gpu.hashDevice().orElseThrow();
    KernelDevice kernels =
        gpu.kernels()
            .orElseThrow(() -> new IllegalStateException("the device has no room, or was lost"));
    DeviceProperties properties = gpu.properties().orElseThrow();
    return new MeasuredCases()
        .with("sha256-64-kernel", new KernelRateCase(kernels, properties, sizes.kernelMessages()))
        .with("sha256-64-end-to-end", new EndToEndCase(gpu.hasher(), sizes.messages()))
        .with("root", new TreeRootCase(gpu.hasher(), sizes.treeLeaves()))
        .with("trie-insert", new TrieInsertCase(kernels, sizes.trieKeys()))
        .with("break-even", new BreakEvenCase(device));
  }
}
