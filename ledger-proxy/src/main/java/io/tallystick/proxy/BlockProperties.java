package io.tallystick.proxy;

import io.tallystick.node.BlockLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// The size of blocks, against their latency. Source: LedgerDB 8.3.
///
/// @param journals `tallystick.block.journals`: a block takes no further append once it holds so
///   many journals, 1 to 1000000. A batch is never cut: one that is larger is a block. Default
///   1000000
/// @param linger `tallystick.block.linger`: how long a block waits for more journals while it is
///   not full, 0s to 1s. Every append takes so much longer. Without one it waits as the load
///   suggests: not at all for a lone append, 20 ms at most
public record BlockProperties(
    @DefaultValue("" + BlockLimits.JOURNALS_MAX) int journals, @Nullable Duration linger) {
  static final BlockProperties DEFAULT = new BlockProperties(BlockLimits.JOURNALS_MAX, null);

  public BlockProperties {
    check("journals", () -> new BlockLimits(journals, Optional.empty()));
    check("linger", () -> new BlockLimits(1, Optional.ofNullable(linger)));
  }

  private static void check(String name, Runnable made) {
    try {
      made.run();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("tallystick.block." + name + ": " + e.getMessage(), e);
    }
  }

  BlockLimits limits() {
    return new BlockLimits(journals, Optional.ofNullable(linger));
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.block.journals=" + journals);
    if (linger != null) {
      arguments.add("--tallystick.block.linger=" + linger);
    }
    return arguments;
  }
}
