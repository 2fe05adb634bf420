package io.tallystick.image;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/// What a kubelet needs to know of a pod of one container.
///
/// @param group `fsGroup`, which volumes are given to
/// @param user `runAsUser:runAsGroup`
/// @param graceSeconds how long it may take to end
/// @param volumes by name
record Pod(
    String name,
    String user,
    int group,
    int graceSeconds,
    Container container,
    Map<String, Source> volumes) {
  /// @param command in place of the image's entry point, unless it is empty
  /// @param ports by name
  /// @param cpus that are asked for
  /// @param memoryBytesMax the limit
  record Container(
      String image,
      List<String> command,
      List<String> args,
      Map<String, String> environment,
      Map<String, Integer> ports,
      Security security,
      double cpus,
      long memoryBytesMax,
      Probe startup,
      Probe liveness,
      Probe readiness,
      List<Mount> mounts) {}

  record Security(boolean readOnlyRoot, boolean mayGainPrivileges, List<String> dropped) {}

  /// A GET over plain HTTP.
  ///
  /// @param port its name
  record Probe(
      String path, String port, int periodSeconds, int timeoutSeconds, int failureThreshold) {
    /// How long a change can go unnoticed: so many times in a row a kubelet asks.
    Duration unnoticedMax() {
      return Duration.ofSeconds((long) periodSeconds * failureThreshold);
    }
  }

  record Mount(String volume, String path, boolean readOnly) {}

  /// Where a volume comes from.
  sealed interface Source {
    /// An empty folder of the pod's own.
    record Empty(long bytesMax) implements Source {}

    /// Entries of a Secret or a ConfigMap.
    ///
    /// @param object `secret/NAME` or `configMap/NAME`
    /// @param items file names by the key of each
    record Entries(String object, int mode, Map<String, String> items) implements Source {}

    /// A persistent volume.
    record Claim(String name) implements Source {}
  }
}
