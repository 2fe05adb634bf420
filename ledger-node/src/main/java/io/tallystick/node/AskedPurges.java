package io.tallystick.node;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.List;

/// Purges as questions to a node.
record AskedPurges(NodeDoor node) implements LedgerPurges {
  @Override
  public Bytes prepare(StrandId strand, long height, List<Digest> absent)
      throws RequestRejectedException {
    return node.change(new NodeChange.PrepareSnapshot(strand, height, absent));
  }

  @Override
  public Bytes pseudoGenesis(StrandId strand) throws RequestRejectedException {
    return node.ask(new PurgeRead.PseudoGenesis(strand));
  }

  @Override
  public Bytes window(StrandId strand) throws RequestRejectedException {
    return node.ask(new PurgeRead.Window(strand));
  }

  @Override
  public FilePart clues(StrandId strand, long firstKept, long offset, int bytesMax)
      throws RequestRejectedException {
    return node.ask(new PurgeRead.Clues(strand, firstKept, offset, bytesMax));
  }

  @Override
  public FilePart state(StrandId strand, long firstKept, long offset, int bytesMax)
      throws RequestRejectedException {
    return node.ask(new PurgeRead.State(strand, firstKept, offset, bytesMax));
  }
}
