package io.tallystick.server.shard;

import io.tallystick.crypto.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.server.clue.ClueRebuild;
import io.tallystick.server.clue.ClueStores;
import io.tallystick.server.saved.ReplayRows;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.BlockIndexStore;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.JournalCheck;
import io.tallystick.server.world.LedgerState;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Rebuilds the clues of a stopped shard, up to its last savepoint; a start replays the frames
/// after it. An interrupted rebuild is started over; until then a start reports unfinished clues.
/// Source: `docs/operations.md`, "Damage".
public final class ClueRepair {
  private final ShardStorage storage;
  private final BatchHasher hasher;
  private final HeadSigner signer;
  private final ClueRebuild.Watch watch;

  /// @param signer signs nothing here
  public ClueRepair(
      ShardStorage storage, BatchHasher hasher, HeadSigner signer, ClueRebuild.Watch watch) {
    this.storage = storage;
    this.hasher = hasher;
    this.signer = signer;
    this.watch = watch;
  }

  /// Rebuilds the clues of all ledgers that have the feature, and makes the slots of their tries
  /// anew; or those of one ledger.
  ///
  /// @param only null for all
  /// @return how many were rebuilt; 0 if there is no such ledger, or it has no clues
  /// @throws CorruptStreamException if a journal is not the one in the tree, and nothing was
  ///   changed; or a block's journals do not make the root that it was sealed with
  public int run(@Nullable LedgerId only) throws IOException, CorruptStreamException {
    Map<LedgerId, LedgerState> ledgers = new LinkedHashMap<>();
    List<StrandId> strands = new ArrayList<>();
    long leaves = 0;
    for (SavedWorld.SavedLedger saved : SavedWorld.ledgers(storage.meta())) {
      LedgerId id = saved.ledger().id();
      ledgers.put(id, saved.ledger());
      boolean hasClues =
          saved.governance().features().firstHeights().containsKey(Feature.CLUE_TRIE);
      if (hasClues && (only == null || only.equals(id))) {
        strands.add(new StrandId(id, 0));
        leaves += saved.strand().size();
      }
    }
    if (!strands.isEmpty()) {
      watch.planned(strands.size(), leaves);
      rebuild(ledgers, strands, only == null);
    }
    return strands.size();
  }

  private void rebuild(Map<LedgerId, LedgerState> ledgers, List<StrandId> strands, boolean all)
      throws IOException, CorruptStreamException {
    Recovery recovery = new Recovery(storage, ShardConfig.defaults(), hasher, signer, List.of());
    SavepointRow saved = recovery.takeOver();
    try (StreamWriter writer =
            storage.streams().openWriter(storage.stream(), saved.epoch(), saved.position());
        StreamReader reader = storage.streams().openReader(storage.stream())) {
      if (writer.end().number() < saved.position().number()) {
        throw new AssertionError("the stream ends before the savepoint");
      }
      check(reader, strands);
      if (all) {
        ClueStores.discard(storage.disk(), storage.meta(), strands);
      }
      fill(ledgers, strands, reader);
    }
  }

  /// Checks first that the clues can be rebuilt, before anything is deleted.
  private void check(StreamReader reader, List<StrandId> strands)
      throws IOException, CorruptStreamException {
    try (ArrayStore arrays = new ArrayStore(storage.disk(), storage.meta(), ArrayLimits.DEFAULT)) {
      JournalCheck check = new JournalCheck(reader, hasher);
      for (StrandId strand : strands) {
        check.check(arrays, storage.meta(), strand, watch::isChecked);
      }
    }
  }

  private void fill(Map<LedgerId, LedgerState> ledgers, List<StrandId> strands, StreamReader reader)
      throws IOException, CorruptStreamException {
    try (ArrayStore arrays = new ArrayStore(storage.disk(), storage.meta(), ArrayLimits.DEFAULT);
        BlockIndexStore clues =
            ClueStores.opener(watch).open(storage.disk(), storage.meta(), arrays, hasher)) {
      Indexer indexer =
          new Indexer(
              storage.meta(),
              arrays,
              hasher,
              signer,
              ledgers::get,
              new ReplayRows(),
              List.of(clues),
              new StoredBlocks(reader));
      for (StrandId strand : strands) {
        indexer.rebuild(Feature.CLUE_TRIE, strand);
        indexer.rest(ShardConfig.defaults().awakeStrandsMax());
      }
    }
  }
}
