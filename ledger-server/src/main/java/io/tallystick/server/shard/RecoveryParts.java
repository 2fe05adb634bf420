package io.tallystick.server.shard;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Bytes;
import io.tallystick.server.certificate.ChainTrust;
import io.tallystick.server.clue.ClueStores;
import io.tallystick.server.removal.Stillness;
import io.tallystick.server.seal.BlockIndexStore;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.state.LocalImages;
import io.tallystick.server.state.StateStores;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.object.ObjectStore;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What stays when a shard opens itself again, and what each opening is made with.
///
/// @param limits of arrays: with lower ones a small run meets what a large one does
/// @param notes used by tables once the shard serves
/// @param pinnedSnapshots those that a table must not drop
record RecoveryParts(
    ShardStorage storage,
    ShardConfig config,
    ArrayLimits limits,
    BatchHasher hasher,
    HeadSigner signer,
    ShardMetrics metrics,
    ChainTrust trust,
    ObjectStore objects,
    Stillness still,
    LocalImages images,
    List<BlockIndexStore.Opener> indexes,
    ShardNotes notes,
    Set<Bytes> pinnedSnapshots) {

  static RecoveryParts of(
      ShardStorage storage,
      ShardConfig config,
      ArrayLimits limits,
      BatchHasher hasher,
      HeadSigner signer,
      MeterRegistry registry)
      throws IOException {
    ShardMetrics metrics = new ShardMetrics(registry);
    int shard = storage.stream().shard();
    return new RecoveryParts(
        storage,
        config,
        limits,
        hasher,
        signer,
        metrics,
        new ChainTrust(),
        storage.openObjects(),
        new Stillness(),
        new LocalImages(),
        List.of(
            ClueStores.opener(new RebuildLog(shard, "clue", metrics::cluesRebuilt)),
            StateStores.opener(
                new RebuildLog(shard, "state", metrics::stateRebuilt),
                config.states(),
                metrics::versionsDropped)),
        new ShardNotes(),
        new HashSet<>());
  }
}
