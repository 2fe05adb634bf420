package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.MalformedException;

/// The shape of the state forest, fixed at genesis because it shapes the root.
///
/// @param entriesMax capacity of a partition, in entries
/// @param leafEntriesMax entries of a leaf node
/// @param innerEntriesMax children of an inner node
public record StateParams(
    long entriesMax, int capacityRule, int leafEntriesMax, int innerEntriesMax, int splitRule) {
  private static final int RULE = 1;

  /// The parameters of a ledger that does not say otherwise.
  public static final StateParams DEFAULT = of(1L << 21, 40, 32);

  private static final int NODE_ENTRIES_MIN = 4;
  private static final int NODE_ENTRIES_MAX = 1024;
  private static final long ENTRIES_MAX = 1L << 40;

  public StateParams {
    if (capacityRule != RULE || splitRule != RULE) {
      throw new IllegalArgumentException(
          "rules " + capacityRule + " and " + splitRule + ", only 1 is defined");
    }
    checkNode("leafMax", leafEntriesMax);
    checkNode("innerMax", innerEntriesMax);
    if (entriesMax < leafEntriesMax || entriesMax > ENTRIES_MAX) {
      throw new IllegalArgumentException("N_cap " + entriesMax + " is out of range");
    }
  }

  /// With the rules that are defined.
  public static StateParams of(long entriesMax, int leafEntriesMax, int innerEntriesMax) {
    return new StateParams(entriesMax, RULE, leafEntriesMax, innerEntriesMax, RULE);
  }

  private static void checkNode(String name, int value) {
    if (value < NODE_ENTRIES_MIN || value > NODE_ENTRIES_MAX) {
      throw new IllegalArgumentException(
          name + " " + value + ", want " + NODE_ENTRIES_MIN + " to " + NODE_ENTRIES_MAX);
    }
  }

  void encodeInto(CborWriter out) {
    out.array(5).uint(entriesMax).uint(capacityRule);
    out.uint(leafEntriesMax).uint(innerEntriesMax).uint(splitRule);
  }

  static StateParams decode(CborReader in) throws MalformedException {
    in.array("stateParams", 5);
    long entriesMax = in.uint();
    int capacityRule = (int) in.uint("capacityRule", Integer.MAX_VALUE);
    int leafMax = (int) in.uint("leafMax", Integer.MAX_VALUE);
    int innerMax = (int) in.uint("innerMax", Integer.MAX_VALUE);
    int splitRule = (int) in.uint("splitRule", Integer.MAX_VALUE);
    return Decoding.validated(
        () -> new StateParams(entriesMax, capacityRule, leafMax, innerMax, splitRule));
  }
}
