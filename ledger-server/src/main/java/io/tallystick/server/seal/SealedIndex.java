package io.tallystick.server.seal;

import io.tallystick.journal.Feature;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Digest;
import org.jspecify.annotations.Nullable;

/// A feature's index as a seal holds it.
///
/// @param view the version with that root; null while nothing has needed it since the start
public record SealedIndex(Digest root, BlockIndex.@Nullable View view) {
  /// The root of an index that no block has changed, and of one whose feature is off.
  public static Digest emptyRoot(Feature feature) {
    return switch (feature) {
      case CLUE_TRIE -> SealLeaf.EMPTY_CLUE_ROOT;
      case STATE_FOREST -> SealLeaf.EMPTY_STATE_ROOT;
      case MONO, DELEGATED, PERMANENT -> throw noIndex(feature);
    };
  }

  /// A style of ledger has no index that could be asked for.
  static IllegalArgumentException noIndex(Feature feature) {
    return new IllegalArgumentException(feature + " has no index");
  }

  static SealedIndex empty(Feature feature) {
    return new SealedIndex(emptyRoot(feature), null);
  }
}
