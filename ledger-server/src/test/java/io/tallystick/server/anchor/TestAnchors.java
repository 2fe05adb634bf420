package io.tallystick.server.anchor;

import io.tallystick.model.Bytes;
import io.tallystick.node.KeptAnchor;

/// The rows of anchors, for tests that compare rows.
public final class TestAnchors {
  private TestAnchors() {}

  public static Bytes key(KeptAnchor kept) {
    return new AnchorRow(kept.anchor().strand(), kept.anchor().size().value(), kept.kid()).key();
  }

  public static Bytes row(KeptAnchor kept) {
    return AnchorRow.encode(kept.encoded());
  }
}
