package io.tallystick.server.host;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.Erasure;
import io.tallystick.node.JournalView;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Objects;
import java.util.OptionalLong;

/// What shows that something was removed. Thread-safe.
final class RemovalReads {
  private final MetaStore meta;

  RemovalReads(MetaStore meta) {
    this.meta = meta;
  }

  /// @throws RequestRejectedException `OUT_OF_RANGE` if the body of that journal is not erased
  Erasure erasure(StrandIndex strand, Evidence evidence, LogReader log, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    OptionalLong found = strand.head().governance().removals().removalOf(jsn);
    if (found.isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.OUT_OF_RANGE, "the body of journal " + jsn + " is not erased");
    }
    long removal = found.getAsLong();
    JournalView journal = log.journal(strand, removal, false);
    return new Erasure(
        removal,
        evidence.receiptFile(strand, journal),
        Objects.requireNonNull(journal.attestation()),
        doneMs(strand.strand(), removal));
  }

  private OptionalLong doneMs(StrandId strand, long removal)
      throws IOException, CorruptStreamException {
    Bytes row = meta.get(RemovalRows.doneKey(strand.ledger(), removal));
    try {
      return row == null ? OptionalLong.empty() : OptionalLong.of(RemovalRows.decodeDone(row));
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "done row of " + strand, removal, String.valueOf(e.getMessage()));
    }
  }
}
