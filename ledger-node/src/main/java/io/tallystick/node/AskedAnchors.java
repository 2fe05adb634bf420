package io.tallystick.node;

import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.Optional;
import java.util.Set;

/// Trusted anchors as questions to a node.
record AskedAnchors(NodeDoor node) implements KeptAnchors {
  @Override
  public void keep(KeptAnchor anchor) throws RequestRejectedException {
    Done _ = node.change(new NodeChange.KeepAnchor(anchor));
  }

  @Override
  public Optional<KeptAnchor> nearest(StrandId strand, long size, Set<Digest> signers)
      throws RequestRejectedException {
    return node.ask(new KeptRead.NearestAnchor(strand, size, signers));
  }
}
