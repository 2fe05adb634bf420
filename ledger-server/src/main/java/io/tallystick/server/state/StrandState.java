package io.tallystick.server.state;

import io.tallystick.journal.Feature;
import io.tallystick.model.Digest;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.seal.BlockIndex;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.forest.ForestVersion;
import io.tallystick.storage.forest.KeptVersions;
import io.tallystick.storage.forest.OwnLimits;
import io.tallystick.storage.forest.StateForest;
import io.tallystick.storage.forest.VersionAt;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Optional;

/// The state of one strand, advanced by whole blocks, with the versions that savepoints keep. One
/// owner thread applies and saves; any thread reads versions. Source: `docs/formats/forest.md`.
public final class StrandState implements BlockIndex {
  private final StateForest forest;

  StrandState(StateForest forest) {
    this.forest = forest;
  }

  StateForest forest() {
    return forest;
  }

  /// The state after a block.
  record View(ForestVersion version) implements BlockIndex.View {
    @Override
    public Digest root() {
      return version.root().digest();
    }
  }

  /// The state of a strand.
  static StrandState of(StrandIndex strand) throws IOException, CorruptStreamException {
    return strand.index(Feature.STATE_FOREST, StrandState.class);
  }

  @Override
  public View view() {
    return new View(forest.version());
  }

  /// The version that a block left, if it is kept, or the one to make it from.
  VersionAt versionAt(long height) throws IOException, CorruptStreamException {
    return forest.versionAt(height);
  }

  /// The versions that are kept; empty if a rebuilt state has taken the place of this one.
  Optional<KeptVersions> kept() {
    return forest.kept();
  }

  /// The next savepoint drops the versions that states from a height on are not made from.
  void prune(long height) {
    forest.prune(height);
  }

  /// Savepoints from the next on keep what these limits allow.
  void limit(OwnLimits limits) {
    forest.limit(limits);
  }

  /// The next savepoint forgets the versions below a height, if it is not done yet.
  ///
  /// @return whether nothing of them is to be found on the disk any more
  boolean areGone(long height) {
    if (forest.dropBelow(height)) {
      return false;
    }
    return !forest.isPruning();
  }

  /// Whether what was asked to be forgotten is still to be found on the disk.
  boolean isPruning() {
    return forest.isPruning();
  }

  @Override
  public Digest apply(BlockInfo block, FramePlace place, byte[] leafHashes)
      throws IOException, CorruptStreamException {
    return forest.apply(block.height(), BlockWrites.of(block, place)).root().digest();
  }

  @Override
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    forest.savepoint(batch);
  }

  @Override
  public void saved() {
    // The store deletes what no savepoint names.
  }
}
