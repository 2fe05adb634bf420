package io.tallystick.client.lineage;

import io.tallystick.client.failure.LineageTooLongException;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.VerifiedLineage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The runs of one lineage as they come, as long as they fit into memory. One thread's.
final class LineageSum {
  private final String clue;
  private final LineageLimits limits;
  private final List<VerifiedLineage> runs = new ArrayList<>();
  private long journals;
  private long headerBytes;

  LineageSum(String clue, LineageLimits limits) {
    this.clue = clue;
    this.limits = limits;
  }

  void add(VerifiedLineage run) throws LineageTooLongException {
    journals += run.entries().size();
    for (LineageEntry entry : run.entries()) {
      headerBytes += entry.leaf().header().size();
    }
    if (journals > limits.journalsMax() || headerBytes > limits.headerBytesMax()) {
      throw new LineageTooLongException(
          String.format(
              Locale.ROOT,
              "clue \"%s\" has %d journals; at most %d are taken at once, and %d bytes of their headers",
              clue,
              run.state().count(),
              limits.journalsMax(),
              limits.headerBytesMax()));
    }
    runs.add(run);
  }

  List<VerifiedLineage> runs() {
    return runs;
  }
}
