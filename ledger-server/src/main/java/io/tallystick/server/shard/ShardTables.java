package io.tallystick.server.shard;

import io.tallystick.model.Bytes;
import io.tallystick.server.anchor.AnchorTable;
import io.tallystick.server.certificate.ChainTable;
import io.tallystick.server.mark.ReadOnlyMarks;
import io.tallystick.server.proposal.ProposalTable;
import io.tallystick.server.removal.ErasureTable;
import io.tallystick.server.removal.ImageRows;
import io.tallystick.server.removal.NotedObjects;
import io.tallystick.server.removal.SnapshotRows;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// What a shard keeps beside its log, as one opening of it found and changed it. Whoever wants one
/// asks the shard again for each call: when the shard opens itself again, these change nothing any
/// more, and others take their place.
public record ShardTables(
    ProposalTable proposals,
    AnchorTable anchors,
    ErasureTable erasures,
    ChainTable chains,
    SnapshotRows snapshots,
    ImageRows images,
    ReadOnlyMarks readOnly,
    NotedObjects noted) {

  ObjectStore objects() {
    return noted.store();
  }

  /// Deletes the objects that no row names and that were made under earlier claims: nothing that is
  /// durable will ever name them.
  ///
  /// @param epoch of this claim
  void sweepObjects(long epoch) throws IOException, CorruptStreamException {
    List<ObjectStore.Held> all = objects().list();
    chains.countErased(all.stream().map(ObjectStore.Held::id).collect(Collectors.toSet()));
    Set<Bytes> named = chains.objects();
    named.addAll(snapshots.objects());
    named.addAll(images.objects());
    for (ObjectStore.Held each : all) {
      if (each.epoch() < epoch && !named.contains(each.id())) {
        objects().delete(each);
      }
    }
    images.swept();
  }
}
