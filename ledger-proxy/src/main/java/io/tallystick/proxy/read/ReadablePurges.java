package io.tallystick.proxy.read;

import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerPurges;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Scope;
import io.tallystick.removal.Snapshot;
import java.util.List;

/// One caller's reads of what purges need, and of what stands in the place of what they removed.
/// Evidence is read as all evidence is; a snapshot is made for a member that may append, also in a
/// public ledger.
public record ReadablePurges(LedgerRegistry registry, ReadAccess access, Bearer bearer) {
  private static final int PART_BYTES = 1 << 20;

  /// The snapshot of a purge that nobody has asked for yet.
  ///
  /// @param encoded what the signers make again and compare
  public record Prepared(Bytes encoded, Snapshot snapshot, Digest digest) {}

  /// @throws RequestRejectedException as {@link LedgerPurges#prepare} and {@link
  ///   ReadAccess#appender}
  public Prepared prepare(StrandId strand, long height, List<Digest> absent)
      throws RequestRejectedException {
    access.appender(strand.ledger(), bearer);
    Bytes encoded = purges(registry.nodeOf(strand.ledger())).prepare(strand, height, absent);
    try {
      Snapshot snapshot = Snapshot.decode(encoded);
      return new Prepared(encoded, snapshot, snapshot.digest());
    } catch (MalformedException e) {
      throw new AssertionError("a snapshot of our own does not decode", e);
    }
  }

  /// @throws RequestRejectedException `OUT_OF_RANGE` if nothing was purged
  public Bytes pseudoGenesis(StrandId strand) throws RequestRejectedException {
    return purges(evidence(strand)).pseudoGenesis(strand);
  }

  /// @throws RequestRejectedException `OUT_OF_RANGE` if nothing was purged
  public Bytes window(StrandId strand) throws RequestRejectedException {
    return purges(evidence(strand)).window(strand);
  }

  /// @throws RequestRejectedException as {@link LedgerPurges#clues}
  public LedgerPurges.FilePart clues(StrandId strand, long firstKept, long offset)
      throws RequestRejectedException {
    return purges(evidence(strand)).clues(strand, firstKept, offset, PART_BYTES);
  }

  /// @throws RequestRejectedException as {@link LedgerPurges#state}
  public LedgerPurges.FilePart state(StrandId strand, long firstKept, long offset)
      throws RequestRejectedException {
    return purges(evidence(strand)).state(strand, firstKept, offset, PART_BYTES);
  }

  private LedgerNode evidence(StrandId strand) throws RequestRejectedException {
    return access.node(strand.ledger(), bearer, Scope.EVIDENCE);
  }

  private static LedgerPurges purges(LedgerNode node) throws RequestRejectedException {
    return node.purges()
        .orElseThrow(() ->
            new RequestRejectedException(
                RejectionCode.KIND_NOT_ENABLED, "this service carries no purges out"));
  }
}
