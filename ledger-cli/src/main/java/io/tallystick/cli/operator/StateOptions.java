package io.tallystick.cli.operator;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// What `tally up` keeps of ledgers' states.
final class StateOptions {
  @Option(
      names = "--state-versions",
      paramLabel = "COUNT",
      defaultValue = "40",
      description =
          "Keep so many older versions of each state on the disk, 1 to 10000. Default: "
              + "${DEFAULT-VALUE}")
  private int versions;

  @Option(
      names = "--state-versions-megabytes",
      paramLabel = "MB",
      description =
          "The most MiB of the disk that the older versions of a state take. Default: as many as "
              + "its newest version")
  private @Nullable Long versionsMegabytes;

  @Option(
      names = "--state-replay-operations",
      paramLabel = "COUNT",
      defaultValue = "200000",
      description =
          "Operations between two versions, 1000 to 100000000: a read of a height in between "
              + "carries them out first. Default: ${DEFAULT-VALUE}")
  private int replayOperations;

  @Option(
      names = "--state-cache-megabytes",
      paramLabel = "MB",
      description =
          "MiB of memory for nodes of all states, half of the heap at most. Default: a twelfth of "
              + "the heap, 32 at least")
  private @Nullable Long cacheMegabytes;

  void addTo(GivenSettings given) {
    given.add("--state-versions", "state.versions", versions);
    given.add("--state-versions-megabytes", "state.versions-megabytes", versionsMegabytes);
    given.add("--state-replay-operations", "state.replay-operations", replayOperations);
    given.add("--state-cache-megabytes", "state.cache-megabytes", cacheMegabytes);
  }
}
