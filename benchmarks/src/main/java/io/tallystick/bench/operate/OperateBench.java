package io.tallystick.bench.operate;

import io.tallystick.bench.figure.MeasuredCases;
import org.jspecify.annotations.Nullable;

/// The cases of `tally bench operate`.
public final class OperateBench {
  private OperateBench() {}

  /// @param image the image that a Docker engine has; null if there is none to measure
  public static MeasuredCases cases(@Nullable String image) {
    MeasuredCases cases =
        new MeasuredCases().with("backup", new BackupCase()).with("restore", new RestoreCase());
    return image == null ? cases : cases.with("container", new ContainerCase(image));
  }
}
