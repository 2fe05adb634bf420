package io.tallystick.server.world;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// From which block on each feature of a ledger is on: from genesis, or from where an owner's
/// parameters journal says. Immutable. Source: `docs/formats/request.md`, "Parameters".
public final class FeatureTable {
  /// The features that this service carries out.
  public static final Set<Feature> SUPPORTED = Set.of(Feature.values());

  private final Map<Feature, Long> firstHeights;

  private FeatureTable(Map<Feature, Long> firstHeights) {
    this.firstHeights = firstHeights;
  }

  public static FeatureTable ofGenesis(GenesisParams genesis) {
    Map<Feature, Long> firstHeights = new EnumMap<>(Feature.class);
    genesis.features().forEach(feature -> firstHeights.put(feature, 0L));
    return new FeatureTable(firstHeights);
  }

  /// A table as saved.
  public static FeatureTable of(Map<Feature, Long> firstHeights) {
    Map<Feature, Long> copy = new EnumMap<>(Feature.class);
    copy.putAll(firstHeights);
    return new FeatureTable(copy);
  }

  /// First heights by feature, in order of the features' codes.
  public Map<Feature, Long> firstHeights() {
    return new TreeMap<>(firstHeights);
  }

  /// Whether the feature holds for the block at `height`.
  public boolean isOn(Feature feature, long height) {
    Long first = firstHeights.get(feature);
    return first != null && first <= height;
  }

  /// @throws RequestRejectedException `FEATURE_NOT_ENABLED` if it is off in the block at `height`
  public void checkOn(Feature feature, long height) throws RequestRejectedException {
    if (!isOn(feature, height)) {
      Long first = firstHeights.get(feature);
      throw new RequestRejectedException(
          RejectionCode.FEATURE_NOT_ENABLED,
          String.format(
              Locale.ROOT,
              "feature %d (%s) is %s; the next block is %d",
              feature.code(),
              feature,
              first == null ? "not on in this ledger" : "on from block " + first,
              height));
    }
  }

  /// The table after a parameters journal in the block at `height`.
  ///
  /// @throws RequestRejectedException `PARAMETERS_INVALID` if it is on already or announced, if it
  ///   comes with genesis alone, or the first height is not above `height`
  FeatureTable after(Extension.Parameters parameters, long height) throws RequestRejectedException {
    if (parameters.firstHeight() <= height) {
      throw new RequestRejectedException(
          RejectionCode.PARAMETERS_INVALID,
          String.format(
              Locale.ROOT,
              "firstHeight %d is not above the block of this journal, %d",
              parameters.firstHeight(),
              height));
    }
    Map<Feature, Long> after = new EnumMap<>(Feature.class);
    after.putAll(firstHeights);
    for (Feature feature : parameters.features()) {
      if (feature == Feature.STATE_FOREST) {
        throw new RequestRejectedException(
            RejectionCode.PARAMETERS_INVALID,
            String.format(
                Locale.ROOT, "feature %d (%s) comes with genesis alone", feature.code(), feature));
      }
      Long first = after.putIfAbsent(feature, parameters.firstHeight());
      if (first != null) {
        throw new RequestRejectedException(
            RejectionCode.PARAMETERS_INVALID,
            String.format(
                Locale.ROOT,
                "feature %d (%s) is on from block %d already",
                feature.code(),
                feature,
                first));
      }
    }
    return new FeatureTable(after);
  }
}
