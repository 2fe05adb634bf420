package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What does a provable state cost, alone and without a service? Random keys and values, forced and
/// verified; rivals and limits in the same run, by turns.
public final class StateBench {
  private static final String PUT = "put";
  private static final String GET = "get";
  public static final List<String> CASES =
      List.of(
          PUT,
          GET,
          "batch",
          "range",
          "history",
          "space",
          "prune",
          "rollback",
          "growth",
          "proof",
          "trickle");

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;

  /// @param home an empty folder
  public StateBench(Path home, StateSizes sizes, Narrator say) {
    this.home = new Home(home);
    this.sizes = sizes;
    this.say = say;
  }

  /// @param cases some of {@link #CASES}; put and get share their contenders' data
  public List<BenchCase> run(List<String> cases) throws Exception {
    List<BenchCase> measured = new ArrayList<>();
    boolean put = cases.contains(PUT);
    boolean get = cases.contains(GET);
    if (put || get) {
      say.say("measuring put and get ...");
      measured.addAll(new PutGetCase(home, sizes, say).measure(put, get));
    }
    for (String name : CASES) {
      if (cases.contains(name) && !name.equals(PUT) && !name.equals(GET)) {
        say.say("measuring " + name + " ...");
        measured.addAll(measure(name));
      }
    }
    return measured;
  }

  private List<BenchCase> measure(String name) throws Exception {
    return switch (name) {
      case "batch" -> new BatchCase(home, sizes, say).measure();
      case "range" -> new RangeCase(home, sizes, say).measure();
      case "prune" -> new PruneCase(home, sizes, say).measure();
      case "rollback" -> new RollbackCase(home, sizes, say).measure();
      case "growth" -> new GrowthCase(home, sizes, say).measure();
      case "space" -> new SpaceCase(home, sizes, say).measure();
      case "history" -> new HistoryCase(home, sizes, say).measure();
      case "proof" -> new ProofCase(home, sizes, say).measure();
      case "trickle" -> new TrickleCase(home, sizes, say).measure();
      default -> throw new IllegalArgumentException("no case " + name);
    };
  }
}
