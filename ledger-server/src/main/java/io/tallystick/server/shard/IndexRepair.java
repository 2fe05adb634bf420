package io.tallystick.server.shard;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.server.clue.ClueStores;
import io.tallystick.server.saved.ReplayRows;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.BlockIndexStore;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.JournalCheck;
import io.tallystick.server.state.StateStores;
import io.tallystick.server.world.LedgerGenesis;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.forest.ForestLimits;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Rebuilds an index of a stopped shard, up to its last savepoint; a start replays the frames after
/// it. An interrupted rebuild is started over; until then reads that need the index are refused.
/// Source: `docs/operations.md`, "Damage".
public final class IndexRepair {
  private final ShardStorage storage;
  private final BatchHasher hasher;
  private final HeadSigner signer;
  private final Feature feature;
  private final IndexRebuild.Watch watch;

  /// @param signer signs nothing here
  /// @param feature whose index it is
  public IndexRepair(
      ShardStorage storage,
      BatchHasher hasher,
      HeadSigner signer,
      Feature feature,
      IndexRebuild.Watch watch) {
    this.storage = storage;
    this.hasher = hasher;
    this.signer = signer;
    this.feature = feature;
    this.watch = watch;
  }

  /// Rebuilds the index of all ledgers that have the feature, and makes the slots of its nodes
  /// anew; or that of one ledger.
  ///
  /// @param only null for all
  /// @return how many were rebuilt; 0 if there is no such ledger, or it has not the feature
  /// @throws CorruptStreamException if a journal is not the one in the tree, and nothing was
  ///   changed; or a block's journals do not make the root that it was sealed with
  public int run(@Nullable LedgerId only) throws IOException, CorruptStreamException {
    return run(only, true);
  }

  /// Makes the index of all ledgers that have the feature, where none is: the journals are compared
  /// with the tree while it is filled.
  ///
  /// @return how many were made
  /// @throws CorruptStreamException as {@link #run}; the index is then not finished
  public int make() throws IOException, CorruptStreamException {
    return run(null, false);
  }

  private int run(@Nullable LedgerId only, boolean checkFirst)
      throws IOException, CorruptStreamException {
    Map<LedgerId, LedgerGenesis> ledgers = new LinkedHashMap<>();
    List<StrandId> strands = new ArrayList<>();
    long leaves = 0;
    for (SavedWorld.SavedLedger saved : SavedWorld.ledgers(storage.meta())) {
      LedgerId id = saved.ledger().id();
      ledgers.put(id, saved.ledger());
      boolean has = saved.governance().features().firstHeights().containsKey(feature);
      if (has && (only == null || only.equals(id))) {
        strands.add(new StrandId(id, 0));
        leaves += saved.strand().size();
      }
    }
    if (!strands.isEmpty()) {
      watch.planned(strands.size(), leaves);
      rebuild(ledgers, strands, only == null, checkFirst);
    }
    return strands.size();
  }

  private void rebuild(
      Map<LedgerId, LedgerGenesis> ledgers, List<StrandId> strands, boolean all, boolean checkFirst)
      throws IOException, CorruptStreamException {
    SavepointRow saved = Recovery.takeOver(storage);
    try (StreamWriter writer =
            storage.streams().openWriter(storage.stream(), saved.epoch(), saved.position());
        StreamReader reader = storage.streams().openReader(storage.stream())) {
      if (writer.end().number() < saved.position().number()) {
        throw new AssertionError("the stream ends before the savepoint");
      }
      if (checkFirst) {
        check(reader, strands);
      }
      if (all) {
        discard(strands);
      }
      fill(ledgers, strands, reader);
    }
  }

  private void discard(List<StrandId> strands) throws IOException {
    switch (feature) {
      case CLUE_TRIE -> ClueStores.discard(storage.disk(), storage.meta(), strands);
      case STATE_FOREST -> StateStores.discard(storage.disk(), storage.meta());
      case MONO, DELEGATED, PERMANENT -> throw noIndex();
    }
  }

  private BlockIndexStore.Opener opener() {
    return switch (feature) {
      case CLUE_TRIE -> ClueStores.opener(watch);
      case STATE_FOREST -> StateStores.opener(watch, ForestLimits.DEFAULT, _ -> {});
      case MONO, DELEGATED, PERMANENT -> throw noIndex();
    };
  }

  private IllegalArgumentException noIndex() {
    return new IllegalArgumentException(feature + " has no index");
  }

  /// Checks first that the index can be rebuilt, before anything is deleted.
  private void check(StreamReader reader, List<StrandId> strands)
      throws IOException, CorruptStreamException {
    try (ArrayStore arrays = new ArrayStore(storage.disk(), storage.meta(), ArrayLimits.DEFAULT)) {
      JournalCheck check = new JournalCheck(reader, hasher);
      for (StrandId strand : strands) {
        check.check(arrays, storage.meta(), strand, watch::isChecked);
      }
    }
  }

  private void fill(
      Map<LedgerId, LedgerGenesis> ledgers, List<StrandId> strands, StreamReader reader)
      throws IOException, CorruptStreamException {
    try (ArrayStore arrays = new ArrayStore(storage.disk(), storage.meta(), ArrayLimits.DEFAULT);
        BlockIndexStore<?> index = opener().open(storage.disk(), storage.meta(), arrays, hasher)) {
      Indexer indexer =
          new Indexer(
              storage.meta(),
              arrays,
              hasher,
              signer,
              ledgers::get,
              new ReplayRows(),
              List.of(index),
              new StoredBlocks(reader),
              _ -> {}); // no journal is applied
      for (StrandId strand : strands) {
        indexer.rebuild(feature, strand);
        indexer.rest(ShardConfig.defaults().indexing().awakeStrandsMax());
      }
    }
  }
}
