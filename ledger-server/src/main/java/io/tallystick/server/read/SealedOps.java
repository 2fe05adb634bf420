package io.tallystick.server.read;

import io.tallystick.journal.Ops;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.seal.StrandIndex;
import java.util.Locale;
import java.util.Objects;

/// The operations of a journal as they are stored, compared with what its header commits to.
/// Whoever compares the leaf with the sealed one thereby knows that they are the ones that were
/// signed.
public final class SealedOps {
  private SealedOps() {}

  /// Those of a journal of a block; empty if it has none, and in a ledger without state.
  ///
  /// @throws RequestRejectedException `DAMAGED`, naming the jsn
  public static Bytes of(StrandIndex strand, BlockInfo block, int journal)
      throws RequestRejectedException {
    if (!strand.hasState() || block.genesis()) {
      return Bytes.EMPTY;
    }
    return checked(block.firstJsn() + journal, block.header(journal), block.ops(journal));
  }

  /// @param header encoded
  static Bytes checked(long jsn, Bytes header, Bytes stored) throws RequestRejectedException {
    try {
      RequestHeader committed = RequestHeader.decode(header);
      Ops ops = Ops.decode(stored);
      if (ops.size() != committed.opsCount() || !Objects.equals(ops.root(), committed.opsRoot())) {
        throw LogReader.damaged(
            jsn,
            String.format(
                Locale.ROOT,
                "%d operations with root %s are stored, the header has %d with root %s",
                ops.size(),
                ops.root(),
                committed.opsCount(),
                committed.opsRoot()));
      }
      return stored;
    } catch (MalformedException e) {
      throw LogReader.damaged(jsn, "stored operations: " + e.getMessage());
    }
  }
}
