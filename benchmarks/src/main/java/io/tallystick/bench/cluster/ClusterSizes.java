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

  /// What the limits of takeovers are meant for.
  public static final long JOURNALS_MEANT = 5_000_000;

  /// The figures, each with what is not as shipped.
  List<BenchCase> told(BenchCase... cases) {
    return departing(heapDeparture(), cases);
  }

  /// The figures of a takeover, each with what is not as shipped and not as it is meant.
  List<BenchCase> toldOfTakeover(BenchCase... cases) {
    String departure = heapDeparture();
    if (journals != JOURNALS_MEANT) {
      departure =
          String.format(
              Locale.ROOT,
              "%s%s%d journals, not %d",
              departure,
              departure.isEmpty() ? "" : "; ",
              journals,
              JOURNALS_MEANT);
    }
    return departing(departure, cases);
  }

  private String heapDeparture() {
    return heap.equals(HEAP_SHIPPED)
        ? ""
        : String.format(Locale.ROOT, "a heap of %s for each process, not %s", heap, HEAP_SHIPPED);
  }

  private static List<BenchCase> departing(String departure, BenchCase... cases) {
    return Arrays.stream(cases).map(each -> each.departing(departure)).toList();
  }
}
