package io.tallystick.cli.operator;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// How `tally up` makes blocks.
final class BlockOptions {
  @Option(
      names = "--block-journals",
      paramLabel = "COUNT",
      defaultValue = "1000000",
      description =
          "A block takes no further append once it holds so many journals, 1 to 1000000; a larger "
              + "batch is a block of its own. Default: ${DEFAULT-VALUE}")
  private int journals;

  @Option(
      names = "--block-linger",
      paramLabel = "MS",
      description =
          "How long a block waits for more journals while it is not full, 0 to 1000 ms: every "
              + "append takes so much longer. Default: as the load suggests, at most 20")
  private @Nullable Long lingerMillis;

  void addTo(GivenSettings given) {
    given.add("--block-journals", "block.journals", journals);
    given.addMillis("--block-linger", "block.linger", lingerMillis);
  }
}
