package io.tallystick.bench.cluster;

import io.tallystick.bench.figure.BenchCase;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// What the cases of a cluster share.
///
/// @param journals of a ledger whose shard is taken over
/// @param heap of each process, as in `512m`
public record ClusterSizes(long journals, String heap) {
  /// What `./tally` gives a process that is no `tally up`.
  public static final String HEAP_SHIPPED = "1g";

  /// The figures, each with what is not as shipped.
  List<BenchCase> told(BenchCase... cases) {
    String departure =
        heap.equals(HEAP_SHIPPED)
            ? ""
            : String.format(
                Locale.ROOT, "a heap of %s for each process, not %s", heap, HEAP_SHIPPED);
    return Arrays.stream(cases).map(each -> each.departing(departure)).toList();
  }
}
