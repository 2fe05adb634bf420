package io.tallystick.server.state;

import io.tallystick.journal.Feature;
import io.tallystick.model.Digest;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.seal.BlockIndex;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.forest.ForestRows;
import io.tallystick.storage.forest.ForestVersion;
import io.tallystick.storage.forest.StateForest;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/// The state of one strand, advanced by whole blocks, with the versions of the last blocks that
/// changed it. Versions are not saved: after a start there is the newest one alone. One owner
/// thread applies and saves; any thread reads versions. Source: `docs/formats/forest.md`.
public final class StrandState implements BlockIndex {
  static final int VERSIONS_MAX = 64;

  /// Of nodes that only older versions have, some 100 MB with the default shape.
  private static final long OLD_NODES_MAX = 1 << 18;

  private final StateForest forest;
  private final ForestRows rows;

  /// By the height of the block that made it.
  private final NavigableMap<Long, ForestVersion> versions = new ConcurrentSkipListMap<>();

  /// Nodes that the version behind each kept one replaced, oldest first.
  private final Queue<Long> oldNodes = new ArrayDeque<>();

  private long oldNodesInAll;
  private @Nullable ForestVersion saved;
  private @Nullable ForestVersion saving;

  /// @param saved whether the rows hold this forest
  StrandState(StateForest forest, ForestRows rows, boolean saved) {
    this.forest = forest;
    this.rows = rows;
    this.saved = saved ? forest.version() : null;
    versions.put(forest.version().height(), forest.version());
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
    return (StrandState) strand.index(Feature.STATE_FOREST);
  }

  @Override
  public View view() {
    return new View(forest.version());
  }

  /// The version that a block left; empty if it is not kept any more.
  Optional<ForestVersion> versionAt(long height) {
    return Optional.ofNullable(versions.floorEntry(height)).map(Map.Entry::getValue);
  }

  /// The lowest height that {@link #versionAt} answers.
  long oldestHeight() {
    return versions.firstKey();
  }

  @Override
  public Digest apply(BlockInfo block, FramePlace place, byte[] leafHashes)
      throws CorruptStreamException {
    long before = forest.replacedNodes();
    ForestVersion version = forest.apply(block.height(), BlockWrites.of(block, place));
    long replaced = forest.replacedNodes() - before;
    versions.put(block.height(), version);
    oldNodes.add(replaced);
    oldNodesInAll += replaced;
    while (oldNodes.size() >= VERSIONS_MAX || oldNodesInAll > OLD_NODES_MAX) {
      oldNodesInAll -= oldNodes.remove();
      versions.pollFirstEntry();
    }
    return version.root().digest();
  }

  /// Present keys and tombstones of all partitions. For the owner.
  long entryCount() {
    return forest.version().entryCount();
  }

  @Override
  public void savepoint(MetaBatch batch) {
    saving = forest.version();
    if (saving != saved) {
      rows.savepoint(forest, batch);
    }
  }

  @Override
  public void saved() {
    saved = saving;
  }
}
